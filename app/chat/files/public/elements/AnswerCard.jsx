import { useEffect, useRef, useState } from "react"
import { Check, ChevronLeft, ChevronRight, Circle, Copy, Download, ExternalLink, FileText, History, X } from "lucide-react"
import { Sheet, SheetContent, SheetDescription, SheetHeader, SheetTitle, SheetTrigger } from "@/components/ui/sheet"

const SIGNS = { passed: Check, failed: X, not_applicable: Circle }
const VERDICTS = { passed: "passed", failed: "failed", not_applicable: "does not apply" }

// One page of a report, its neighbours a click or an arrow key away. Marks are drawn on the cited page only.
function PageView({ link }) {
  const [page, setPage] = useState(link.page)
  const [lost, setLost] = useState(false)
  const [large, setLarge] = useState(false)
  const mark = useRef(null)
  const cited = page === link.page
  const turn = (to) => {
    if (to < 1 || to > link.page_count) return
    setLost(false)
    setPage(to)
  }
  useEffect(() => {
    const onKey = (event) => {
      if (event.key === "ArrowLeft") turn(page - 1)
      if (event.key === "ArrowRight") turn(page + 1)
    }
    window.addEventListener("keydown", onKey)
    return () => window.removeEventListener("keydown", onKey)
  })
  const shape = cited && link.page_width ? { aspectRatio: `${link.page_width} / ${link.page_height}` } : {}
  return (
    <>
      <div className="pp-pager">
        <button type="button" className="pp-turn" data-testid="previous-page" disabled={page <= 1} onClick={() => turn(page - 1)}>
          <ChevronLeft size={16} aria-hidden="true" /> <span className="sr-only">Previous page</span>
        </button>
        <span data-testid="page-number" aria-live="polite">
          Page {page} of {link.page_count}
        </span>
        <button type="button" className="pp-turn" data-testid="next-page" disabled={page >= link.page_count} onClick={() => turn(page + 1)}>
          <ChevronRight size={16} aria-hidden="true" /> <span className="sr-only">Next page</span>
        </button>
        {!cited && (
          <button type="button" className="pp-text-button" onClick={() => turn(link.page)}>
            Back to page {link.page}
          </button>
        )}
        <a className="pp-link" href={`${link.pdf}#page=${page}`} target="_blank" rel="noopener noreferrer">
          Open PDF at this page <ExternalLink size={13} aria-hidden="true" />
        </a>
      </div>
      {lost ? (
        <p className="pp-note" role="alert">
          This page cannot be drawn. The PDF may still open.
        </p>
      ) : (
        <div className={large ? "pp-frame pp-frame-large" : "pp-frame"}>
          <div className="pp-sheet-of-paper">
            <img
              key={page}
              data-testid="page-image"
              className="pp-page"
              src={`${link.base}${page}.png${cited ? link.boxes : ""}`}
              alt={`Page ${page}${cited && link.quote ? ", with the quote marked" : ""}`}
              title={large ? "Smaller" : "Larger"}
              style={shape}
              onLoad={() => cited && mark.current && mark.current.scrollIntoView({ block: "nearest" })}
              onError={() => setLost(true)}
              onClick={() => setLarge(!large)}
            />
            {cited && link.boxes && (
              <span
                ref={mark}
                className="pp-mark-place"
                style={{ top: `${link.mark_top * 100}%`, height: `${(link.mark_bottom - link.mark_top) * 100}%` }}
              />
            )}
          </div>
        </div>
      )}
    </>
  )
}

// Where there is room, the chat can be used beside an open page, and another page takes its place.
const ROOM = "(min-width: 1100px)"
const OPENS = "pageproof-page-opens"

function PageChip({ link, testId }) {
  const [open, setOpen] = useState(false)
  const [beside, setBeside] = useState(false)
  useEffect(() => {
    if (!open) return undefined
    const close = () => setOpen(false)
    window.addEventListener(OPENS, close)
    return () => window.removeEventListener(OPENS, close)
  }, [open])
  const turn = (opens) => {
    if (opens) {
      window.dispatchEvent(new Event(OPENS))
      setBeside(window.matchMedia(ROOM).matches)
    }
    setOpen(opens)
  }
  return (
    <Sheet modal={!beside} open={open} onOpenChange={turn}>
      <SheetTrigger asChild>
        <button type="button" className="pp-chip" data-testid={testId} title={link.quote || link.title}>
          <FileText size={14} aria-hidden="true" />
          {link.label}
          {link.note && <span className="pp-chip-note">{link.note}</span>}
        </button>
      </SheetTrigger>
      <SheetContent className="pp-sheet" onInteractOutside={(event) => beside && event.preventDefault()}>
        <SheetHeader>
          <SheetTitle className="pp-sheet-title">{link.title}</SheetTitle>
          <SheetDescription className={link.quote ? "pp-quote" : "pp-note"}>
            {link.quote || "This page was read for the answer. The answer does not cite it."}
          </SheetDescription>
        </SheetHeader>
        <PageView link={link} />
        <p className="pp-note pp-file">{link.file}</p>
      </SheetContent>
    </Sheet>
  )
}

function Citations({ links }) {
  if (!links.length) return null
  return (
    <div className="pp-row">
      {links.map((link, k) => (
        <PageChip key={k} link={link} testId="citation" />
      ))}
    </div>
  )
}

function Checks({ checks }) {
  if (!checks.length) return null
  const failed = checks.filter((check) => check.verdict === "failed" && check.detail)
  return (
    <div>
      <div className="pp-row pp-checks" role="group" aria-label="Checks against the page">
        {checks.map((check, k) => {
          const Sign = SIGNS[check.verdict]
          return (
            <span
              key={k}
              data-testid="answer-check"
              data-verdict={check.verdict}
              className={`pp-check pp-${check.verdict}`}
              title={check.detail || `${check.label}: ${VERDICTS[check.verdict]}`}
            >
              <Sign size={check.verdict === "not_applicable" ? 8 : 14} aria-hidden="true" />
              {check.label}
              <span className="sr-only">: {VERDICTS[check.verdict]}</span>
            </span>
          )
        })}
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

function Comparison({ parts, rowsAre }) {
  if (!parts.length) return null
  return (
    <>
      <table className="pp-table" data-testid="comparison">
        <thead>
          <tr>
            <th scope="col">{rowsAre}</th>
            <th scope="col" className="pp-amount">Value</th>
            <th scope="col">Page</th>
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
                <Citations links={part.citations} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {parts.map((part, k) => (
        <details key={k} className="pp-fold" data-testid="company-card">
          <summary>
            <ChevronRight size={14} aria-hidden="true" /> {part.row}
          </summary>
          <div className="pp-fold-body">
            {part.citations[0]?.quote && <blockquote className="pp-quote">{part.citations[0].quote}</blockquote>}
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
  if (!links.length) return null
  const title = available ? `Also read, not cited (${links.length})` : `What was searched (${links.length} pages)`
  return (
    <details className="pp-fold" data-testid="pages-read">
      <summary>
        <ChevronRight size={14} aria-hidden="true" /> {title}
      </summary>
      <div className="pp-row pp-fold-body">
        {links.map((link, k) => (
          <PageChip key={k} link={link} testId="page-read" />
        ))}
      </div>
    </details>
  )
}

function Offers({ offers, unresolved }) {
  if (!offers.length && !unresolved) return null
  return (
    <div className="pp-offers">
      {offers.length > 0 && <span className="pp-note">Ask about</span>}
      {offers.map((offer, k) => (
        <button key={k} type="button" className="pp-offer" data-testid="candidate" onClick={() => sendUserMessage(offer.question)}>
          {offer.label}
        </button>
      ))}
      {unresolved && (
        <button type="button" className="pp-offer" data-testid="list-companies" onClick={() => sendUserMessage("Which companies are there?")}>
          List all companies
        </button>
      )}
    </div>
  )
}

async function copyText(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  throw new Error("the browser gives no clipboard to this page")
}

function CopyButton({ text, label, testId }) {
  const [state, setState] = useState("")
  const copy = () =>
    copyText(text)
      .then(() => setState("Copied"))
      .catch(() => setState("Not copied"))
  return (
    <button type="button" className="pp-text-button" data-testid={testId} onClick={copy}>
      {state === "Copied" ? <Check size={13} aria-hidden="true" /> : <Copy size={13} aria-hidden="true" />}
      <span aria-live="polite">{state || label}</span>
    </button>
  )
}

export default function AnswerCard() {
  const about = [props.company, props.period].filter(Boolean)
  // Each company of a comparison has its own citations.
  const citations = props.parts.some((part) => part.citations.length) ? [] : props.citations
  const tone = !props.available ? "pp-none" : props.prose ? "pp-prose" : "pp-large"
  const cost = [props.model_use, props.seconds, props.profile && `profile ${props.profile}`, props.sent].filter(Boolean)
  return (
    <article className="pp-card" aria-label={`Answer to: ${props.question}`}>
      {props.understood && (
        <p className="pp-note" data-testid="understood">
          Understood as: {props.understood}
        </p>
      )}
      <div className={`pp-value ${tone}`} data-testid="answer-value">
        {props.values.map((value, k) => (
          <div key={k}>{value}</div>
        ))}
      </div>
      {props.printed && <div className="pp-printed">{props.printed}</div>}
      <div className="pp-about">
        <span className="pp-kind" data-testid="answer-kind">
          {props.kind}
        </span>
        {about.map((text, k) => (
          <span key={k}>{text}</span>
        ))}
      </div>
      {props.reason && (
        <p className="pp-reason" data-testid="answer-reason">
          {props.reason}
        </p>
      )}
      {props.before && (
        <p className="pp-note pp-before" data-testid="answered-before">
          <History size={14} aria-hidden="true" /> {props.before}
        </p>
      )}
      <Offers offers={props.offers} unresolved={props.unresolved} />
      {props.summary && props.parts.length > 0 && <p className="pp-summary">{props.summary}</p>}
      <BarChart chart={props.bars} />
      <Comparison parts={props.parts} rowsAre={props.rows_are} />
      {citations[0]?.quote && <blockquote className="pp-quote">{citations[0].quote}</blockquote>}
      <Citations links={citations} />
      <Checks checks={props.checks} />
      {props.summary && !props.prose && !props.parts.length && !props.unresolved && <p className="pp-summary">{props.summary}</p>}
      <Fold title="Reasoning" text={props.analysis === props.summary ? "" : props.analysis} />
      <PagesRead links={props.read} available={props.available} />
      <footer className="pp-footer">
        <span className="pp-cost">{cost.join(" · ")}</span>
        <span className="pp-tools">
          {props.company && (
            <button type="button" className="pp-text-button" data-testid="company-facts" onClick={() => sendUserMessage(`Show the facts of ${props.company}`)}>
              All facts
            </button>
          )}
          <CopyButton text={props.copied} label="Copy" testId="copy-text" />
          <CopyButton text={props.copied_json} label="JSON" testId="copy-json" />
          {props.workbook && (
            <a className="pp-text-button" data-testid="workbook" href={props.workbook} download title="The answers of this conversation as a workbook">
              <Download size={13} aria-hidden="true" />
              Excel
            </a>
          )}
        </span>
      </footer>
    </article>
  )
}
