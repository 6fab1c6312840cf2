import { useEffect, useRef, useState } from "react"
import { Check, ChevronRight, Copy, Download, FileText, History, Pencil, RotateCw, X } from "lucide-react"

const SIGNS = { passed: Check, failed: X }

// The place that a chip leads to. Conversations of earlier versions have the report and the boxes in addresses.
function placeOf(link) {
  const sha1 = link.sha1 || (link.base || "").split("/")[2]
  const note = link.quote ? "" : spoken.read_only
  return { sha1, page: link.page, printed: link.printed, boxes: link.boxes, title: link.title, label: link.label, quote: link.quote, note, isRead: !link.quote }
}

// What a chip says when it is pointed at: the words on the page, and the number that the page itself prints.
function hint(link) {
  const said = link.quote || link.title
  return link.printed ? `${spoken.page_short} ${link.page} (${spoken.printed} ${link.printed}): ${said}` : said
}

// Opens the page beside the conversation; from there all pages of `links` are stepped through.
function PageChip({ links, index, testId }) {
  const link = links[index]
  const marks = links.map(placeOf)
  return (
    <button
      type="button"
      className="pp-chip"
      data-testid={testId}
      title={hint(link)}
      onPointerEnter={() => window.pageproof.expectPage(marks[index].sha1)}
      onClick={() => window.pageproof.openPage({ ...marks[index], marks, index })}
    >
      <FileText size={14} aria-hidden="true" />
      {link.label}
      {link.note && <span className="pp-chip-note">{link.note}</span>}
    </button>
  )
}

// `all` are the marks of the whole answer, of which `links` are some. Several marks of one page have one chip.
function Citations({ links, all = links }) {
  if (!links.length) return null
  const first = (link, k) => links.findIndex((other) => other.label === link.label && other.page === link.page) === k
  return (
    <div className="pp-row">
      {links.filter(first).map((link, k) => (
        <PageChip key={k} links={all} index={all.indexOf(link)} testId="citation" />
      ))}
    </div>
  )
}

const bare = (text) => text.replace(/[^\p{L}\p{N}]+/gu, "")

// Whether each line of the answer has a citation of its own: what is quoted is said, or names what is said.
function areLines(values, citations, prose) {
  if (citations.length < 2) return false
  if (prose) return bare(values.join("")) === bare(citations.map((link) => link.quote ?? "").join(""))
  return values.length === citations.length && values.every((value, k) => bare(citations[k].quote ?? "").includes(bare(value)))
}

// Each line of an answer with the page that it stands on. `all` are the marks of the whole answer.
function Lines({ values, citations, prose, all = citations }) {
  return (
    <ul className={`pp-lines ${prose ? "pp-prose" : ""}`} data-testid="answer-value">
      {citations.map((link, k) => (
        <li key={k}>
          <span>{prose ? link.quote : values[k]}</span>
          <span className="pp-line-tools">
            <PageChip links={all} index={all.indexOf(link)} testId="citation" />
            <CopyQuote link={link} />
          </span>
        </li>
      ))}
    </ul>
  )
}

function Quote({ link }) {
  return (
    <blockquote className="pp-quote">
      {link.quote}
      <CopyQuote link={link} />
    </blockquote>
  )
}

// Copies a quoted sentence with its report and its page.
function CopyQuote({ link }) {
  const page = `${spoken.page_short} ${link.page}` + (link.printed ? ` (${spoken.printed} ${link.printed})` : "")
  return <CopyButton text={`${link.quote} (${link.title}, ${page})`} label={spoken.copy_quote} testId="copy-quote" isBare />
}

// The checks that apply, and how many do not: these say why when they are opened.
function Checks({ checks }) {
  if (!checks.length) return null
  const others = checks.filter((check) => check.verdict === "not_applicable")
  const failed = checks.filter((check) => check.verdict === "failed" && check.detail)
  return (
    <div>
      <div className="pp-row pp-checks" role="group" aria-label={spoken.checks}>
        {checks.map((check, k) => {
          const Sign = SIGNS[check.verdict]
          return Sign && (
            <span
              key={k}
              data-testid="answer-check"
              data-verdict={check.verdict}
              className={`pp-check pp-${check.verdict}`}
              title={check.detail || `${check.label}: ${spoken.verdicts[check.verdict]}`}
            >
              <Sign size={14} aria-hidden="true" />
              {check.label}
              <span className="sr-only">: {spoken.verdicts[check.verdict]}</span>
            </span>
          )
        })}
        {others.length > 0 && (
          <details className="pp-others" data-testid="other-checks">
            <summary>{(others.length === 1 ? spoken.other_check : spoken.other_checks).replace("{n}", others.length)}</summary>
            <ul>
              {others.map((check, k) => (
                <li key={k} data-testid="answer-check" data-verdict={check.verdict}>{[check.label, check.detail].filter(Boolean).join(": ")}</li>
              ))}
            </ul>
          </details>
        )}
      </div>
      {failed.map((check, k) => (
        <p key={k} className="pp-warning">
          {check.label}: {check.detail}
        </p>
      ))}
    </div>
  )
}

function BarChart({ chart }) {
  if (!chart) return null
  if (!chart.bars.length) return <p className="pp-note">{chart.note}</p>
  return (
    <div className="pp-bars" role="img" data-testid="bars" aria-label={chart.bars.map((b) => `${b.label}: ${b.value}`).join("; ")}>
      {chart.bars.map((bar, k) => (
        <div key={k} className="pp-bar-line">
          <span className="pp-bar-label">{bar.label}</span>
          <span className="pp-bar-track">
            <span
              className={`pp-bar ${bar.leads ? "pp-bar-leads" : ""} ${bar.negative ? "pp-bar-negative" : ""}`}
              style={{ width: `${Math.max(bar.share * 100, 0.5)}%` }}
            />
          </span>
        </div>
      ))}
    </div>
  )
}

// What the modules of ../cards draw: `draw` gets them, and gives an element.
function Drawn({ draw, of }) {
  const place = useRef(null)
  const words = useWords()
  useEffect(() => {
    if (words) window.pageproof.cards().then((cards) => place.current && place.current.replaceChildren(draw(cards, words)))
  }, [of, words])
  return <div ref={place} />
}

let spoken = null

// The words of cards in the screen's language; null until they are there.
function useWords() {
  const [words, setWords] = useState(spoken)
  useEffect(() => {
    if (!spoken) window.pageproof.words().then((all) => setWords((spoken = all.cards)))
  }, [])
  return words
}

// The answer's amount as people read it; "" where it is shown with all its digits.
function useAmount(words) {
  const [amount, setAmount] = useState("")
  useEffect(() => {
    let isGone = false
    let end = null
    if (words && props.amount)
      window.pageproof.cards().then((cards) => {
        if (isGone) return
        const show = () => setAmount(cards.amountOf(props.amount, words))
        end = cards.whenDigitsChange(show)
        show()
      })
    return () => {
      isGone = true
      end?.()
    }
  }, [words])
  return amount
}

// A question for what a person put right: one figure is asked for, several are compared.
function questionOf(draft, words) {
  const [figures, companies, periods] = PARTS.map((part) => draft[part].split(";").map((each) => each.trim()).filter(Boolean))
  const isOne = figures.length === 1 && companies.length < 2 && periods.length < 2 && !/ (to|bis) /.test(periods[0] ?? "")
  const listed = (all) => [all.slice(0, -1).join(", "), all.at(-1)].filter(Boolean).join(` ${words.and} `)
  const form = isOne ? words.ask_one : words.ask_several
  const of = companies.length ? words.ask_of.replace("{company}", listed(companies)) : ""
  const when = periods.length ? words.ask_in.replace("{period}", listed(periods)) : ""
  return figures.length ? form.replace("{figure}", listed(figures)).replace("{of}", of).replace("{when}", when) : ""
}

const PARTS = ["figure", "company", "period"]

// The question as it was understood, which can be put right and asked again: part by part, where it is of figures.
function Understood({ text, note, words }) {
  const [draft, setDraft] = useState(null)
  const given = props.reading ?? { question: text }
  const ask = (event) => {
    event.preventDefault()
    const isSame = Object.keys(given).every((part) => given[part] === draft[part])
    const question = isSame ? text : (draft.question ?? questionOf(draft, words)).trim()
    setDraft(null)
    if (question) sendUserMessage(question)
  }
  if (draft === null) {
    return (
      <p className="pp-note pp-understood" data-testid="understood">
        {words.understood}: {note}
        <button type="button" className="pp-text-button" data-testid="edit-question" onClick={() => setDraft({ ...given })}>
          <Pencil size={12} aria-hidden="true" /> {words.edit}
        </button>
      </p>
    )
  }
  return (
    <form className="pp-row pp-edit" onSubmit={ask}>
      {Object.keys(given).map((part, k) => (
        <label key={part}>
          <span className={part === "question" ? "sr-only" : "pp-note"}>{words.parts[part]}</span>
          <input autoFocus={k === 0} data-testid={`edited-${part}`} value={draft[part]} onChange={(event) => setDraft({ ...draft, [part]: event.target.value })} onKeyDown={(event) => event.key === "Escape" && setDraft(null)} />
        </label>
      ))}
      <button type="submit" className="pp-offer">{words.ask}</button>
      <button type="button" className="pp-text-button" onClick={() => setDraft(null)}>{words.cancel}</button>
    </form>
  )
}

function Comparison({ parts, rowsAre }) {
  if (!parts.length) return null
  const marks = parts.flatMap((part) => part.citations)
  return (
      <table className="pp-table" data-testid="comparison">
        <thead>
          <tr>
            <th scope="col">{rowsAre}</th>
            <th scope="col" className="pp-amount">{spoken.value}</th>
            <th scope="col">{spoken.pages}</th>
          </tr>
        </thead>
        <tbody>
          {parts.map((part, k) => (
            <tr key={k} className={part.leads ? "pp-leads" : ""} data-testid="comparison-row">
              <th scope="row">
                {part.row}
                {part.period && <div className="pp-note">{part.period}</div>}
              </th>
              <td className="pp-amount">
                {part.values.join(", ")}
                {(part.reason || part.printed) && <div className="pp-note">{part.reason || part.printed}</div>}
              </td>
              <td>
                <Citations links={part.citations} all={marks} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
  )
}

// The texts of several reports, one below the other.
function Texts({ parts }) {
  const all = parts.flatMap((part) => part.citations)
  return parts.map((part, k) => (
    <section key={k} className="pp-part" data-testid="part-text">
      <h4>{part.row}</h4>
      {!part.available && <p className="pp-note">{part.reason}</p>}
      {part.available && areLines(part.values, part.citations, true) && <Lines citations={part.citations} prose all={all} />}
      {part.available && !areLines(part.values, part.citations, true) && (
        <>
          <div className="pp-prose">{part.values.join("\n")}</div>
          <Citations links={part.citations} all={all} />
        </>
      )}
    </section>
  ))
}

// What the parts of an answer are shown as: their texts, a table of figures, or a table of what they say.
function Values({ card }) {
  if (areTexts(card)) return <Texts parts={card.parts} />
  if (card.table) return <Drawn of={card.table} draw={(cards, own) => new cards.FigureTable(card.table, own).element} />
  return <Comparison parts={card.parts} rowsAre={card.rows_are} />
}

const areTexts = ({ prose, table, parts }) => prose && !table && parts.length > 0 && parts.every((part) => part.prose || !part.available)

// Whether the answer is the texts of its parts, put one behind the other.
function isOfParts(card) {
  const whole = bare(card.values.join(""))
  return areTexts(card) && card.parts.every((part) => !part.available || whole.includes(bare(part.values.join(""))))
}

// What each part rests on, folded.
function Parts({ parts }) {
  return (
    <>
      {parts.map((part, k) => (
        <details key={k} className="pp-fold" data-testid="company-card">
          <summary>
            <ChevronRight size={14} aria-hidden="true" /> {part.row}
          </summary>
          <div className="pp-fold-body">
            {part.citations[0]?.quote && !part.prose && <Quote link={part.citations[0]} />}
            <Checks checks={part.checks} />
            {part.summary && <p className="pp-summary">{part.summary}</p>}
            {part.analysis && part.analysis !== part.summary && <p className="pp-analysis">{part.analysis}</p>}
            {!part.available && !part.summary && <p className="pp-summary">{part.reason}</p>}
          </div>
        </details>
      ))}
    </>
  )
}

// Links to pages, folded under what they are.
function FoldedPages({ links, title, testId, chipId }) {
  if (!links?.length) return null
  return (
    <details className="pp-fold" data-testid={testId}>
      <summary>
        <ChevronRight size={14} aria-hidden="true" /> {title}
      </summary>
      <div className="pp-row pp-fold-body">
        {links.map((link, k) => (
          <PageChip key={k} links={links} index={k} testId={chipId} />
        ))}
      </div>
    </details>
  )
}

// Passages to read, each under its heading and with its page.
function Passages({ passages }) {
  if (!passages?.length) return null
  const all = passages.map((one) => one.link)
  return (
    <ol className="pp-passages" data-testid="passages">
      {passages.map((one, k) => (
        <li key={k}>
          <div className="pp-passage-head">
            {one.heading && <span className="pp-passage-title">{one.heading}</span>}
            <PageChip links={all} index={k} testId="passage" />
            <CopyQuote link={one.link} />
          </div>
          <p>{one.link.quote}</p>
        </li>
      ))}
    </ol>
  )
}

function Fold({ title, text }) {
  if (!text) return null
  return (
    <details className="pp-fold">
      <summary>
        <ChevronRight size={14} aria-hidden="true" /> {title}
      </summary>
      <p className="pp-analysis pp-fold-body">{text}</p>
    </details>
  )
}

function PagesRead({ links, available }) {
  const title = (available ? spoken.also_read : spoken.searched).replace("{n}", links.length)
  return <FoldedPages links={links} title={title} testId="pages-read" chipId="page-read" />
}

function Offers({ offers, unresolved }) {
  if (!offers.length && !unresolved) return null
  return (
    <div className="pp-offers">
      {offers.length > 0 && <span className="pp-note">{spoken.ask_about}</span>}
      {offers.map((offer, k) => (
        <button key={k} type="button" className="pp-offer" data-testid="candidate" onClick={() => sendUserMessage(offer.question)}>
          {offer.label}
        </button>
      ))}
      {unresolved && (
        <button type="button" className="pp-offer" data-testid="list-companies" onClick={() => sendUserMessage(spoken.which_companies)}>
          {spoken.all_companies}
        </button>
      )}
    </div>
  )
}

// Lets an open page turn to the first mark of the answer.
function useFollowed(citations, words) {
  const card = useRef(null)
  useEffect(() => {
    if (!card.current) return
    window.pageproof.cards().then(({ marksOf }) => {
      const links = props.table ? marksOf(props.table) : [...citations, ...props.parts.flatMap((part) => part.citations)]
      if (card.current) window.pageproof.answered(card.current, links.map(placeOf))
    })
  }, [words])
  return card
}

async function copyText(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  throw new Error("the browser gives no clipboard to this page")
}

// `isBare`: only the picture is seen, and what it does is said when it is pointed at.
function CopyButton({ text, label, testId, isBare }) {
  const [state, setState] = useState("")
  const copy = () =>
    copyText(text)
      .then(() => setState(spoken.copied))
      .catch(() => setState(spoken.not_copied))
  return (
    <button type="button" className={`pp-text-button ${isBare ? "pp-bare-button" : ""}`} data-testid={testId} title={isBare && (state || label)} onClick={copy}>
      {state === spoken.copied ? <Check size={13} aria-hidden="true" /> : <Copy size={13} aria-hidden="true" />}
      <span aria-live="polite" className={isBare ? "sr-only" : ""}>{state || label}</span>
    </button>
  )
}

async function savePicture() {
  const cards = await window.pageproof.cards()
  cards.download(props.question, "png", "image/png", await cards.pictureOf(props, spoken))
}

export default function AnswerCard() {
  const about = [props.company, props.period].filter(Boolean)
  // Each company of a comparison has its own citations.
  const citations = props.parts.some((part) => part.citations.length) ? [] : props.citations
  const isToRead = !props.available && props.passages?.length > 0
  const tone = isToRead ? "pp-to-read" : !props.available && props.values.length === 1 ? "pp-none" : props.prose ? "pp-prose" : "pp-large"
  const isOfSeveral = props.parts.length > 0 || Boolean(props.table)
  const isOfLines = props.available && areLines(props.values, citations, props.prose)
  const isListed = isOfLines && props.prose && props.summary
  const words = useWords()
  const amount = useAmount(words)
  const printed = [amount && props.values.join("; "), !props.formula && props.printed].filter(Boolean)
  const card = useFollowed(props.passages?.length ? props.passages.map((one) => one.link) : citations, words)
  if (!words) return null
  const figures = props.table ? props.table.rows.flatMap((row) => row.cells.map((cell) => cell.place).filter(Boolean)) : []
  const report = [...citations, ...props.read, ...figures].map((link) => placeOf(link).sha1).find(Boolean)
  const cost = [props.model_use, props.sent].filter(Boolean)
  return (
    <article ref={card} className="pp-card pp-answer" aria-label={words.answer_to.replace("{question}", props.question)}>
      {(props.understood || props.meant) && <Understood text={props.understood || props.question} note={props.understood || props.meant} words={words} />}
      {isListed && <p className="pp-summary">{props.summary}</p>}
      {isOfLines && <Lines values={props.values} citations={citations} prose={props.prose} />}
      {!isOfLines && !isOfParts(props) && (
        <div className={`pp-value ${tone}`} data-testid="answer-value">
          {isToRead && words.to_read}
          {amount ? <div title={props.values.join("; ")}>{amount}</div> : !isToRead && props.values.map((value, k) => <div key={k}>{value}</div>)}
        </div>
      )}
      {printed.length > 0 && <div className="pp-printed" data-testid="printed">{printed.join(" · ")}</div>}
      {props.formula && <Drawn of={props.formula} draw={(cards, own) => cards.formulaOf({ ...props.formula, operands: [] }, own)} />}
      {!props.is_talk && <div className="pp-about">
        {!isToRead && <span className="pp-kind" data-testid="answer-kind">
          {props.kind}
        </span>}
        {about.map((text, k) => (
          <span key={k}>{text}</span>
        ))}
      </div>}
      {props.remark && <p className="pp-remark" data-testid="remark">{props.remark}</p>}
      {props.reason && (
        <p className="pp-reason" data-testid="answer-reason">
          {props.reason}
        </p>
      )}
      <Passages passages={props.passages} />
      {props.before && (
        <p className="pp-note pp-before" data-testid="answered-before">
          <History size={14} aria-hidden="true" /> {props.before}
        </p>
      )}
      <Offers offers={props.offers} unresolved={props.unresolved} />
      {props.summary && isOfSeveral && <p className="pp-summary">{props.summary}</p>}
      <BarChart chart={props.bars} />
      <Values card={props} />
      <Parts parts={props.parts} />
      {!isOfLines && citations[0]?.quote && <Quote link={citations[0]} />}
      {!isOfLines && <Citations links={citations} />}
      <Checks checks={props.checks} />
      {props.summary && !isOfSeveral && !isToRead && !isListed && !props.unresolved && <p className="pp-summary">{props.summary}</p>}
      <FoldedPages links={props.neighbours} title={words.neighbours} testId="neighbours" chipId="neighbour" />
      <Fold title={words.reasoning} text={props.analysis === props.summary && !isToRead ? "" : props.analysis} />
      <PagesRead links={props.read} available={props.available} />
      {props.next?.length > 0 && (
        <div className="pp-offers">
          <span className="pp-note">{words.next}</span>
          {props.next.map((question, k) => (
            <button key={k} type="button" className="pp-offer" data-testid="next-question" onClick={() => sendUserMessage(question)}>
              {question}
            </button>
          ))}
        </div>
      )}
      {!props.is_talk && <footer className="pp-footer">
        <span className="pp-cost">{cost.join(" · ")}</span>
        <span className="pp-tools">
          {props.company && (
            <button type="button" className="pp-text-button" data-testid="company-facts" onClick={() => (report ? window.pageproof.showFacts(report) : sendUserMessage(spoken.show_facts.replace("{company}", props.company)))}>
              {words.all_facts}
            </button>
          )}
          {props.again && (
            <button type="button" className="pp-text-button" data-testid="ask-again" onClick={() => sendUserMessage(props.again.question, props.again.command)}>
              <RotateCw size={13} aria-hidden="true" />
              {props.again.model ? words.again_with.replace("{model}", props.again.model) : words.again_without}
            </button>
          )}
          {(!props.table || props.parts.length > 0) && <CopyButton text={props.copied} label={words.copy} testId="copy-text" />}
          {!props.table && <CopyButton text={props.markdown || props.copied} label="Markdown" testId="copy-markdown" />}
          <button type="button" className="pp-text-button" data-testid="copy-picture" onClick={savePicture}>{words.picture}</button>
          <CopyButton text={props.copied_json} label="JSON" testId="copy-json" />
          {props.workbook && (
            <a className="pp-text-button" data-testid="workbook" href={props.workbook} download title={words.all_answers}>
              <Download size={13} aria-hidden="true" />
              {words.all_answers_short}
            </a>
          )}
        </span>
      </footer>}
    </article>
  )
}
