import { useEffect, useState } from "react"
import { Check, Copy } from "lucide-react"

// The words of this card in the screen's language; nothing is drawn before they are there.
const t = (name, values) => window.pageproof.t(`cards.${name}`, values)
function useWords() {
  const [there, setThere] = useState(Boolean(window.pageproof.t))
  useEffect(() => {
    window.pageproof.words().then(() => setThere(true))
  }, [])
  return there
}

// A page with the number that it prints: "83 (printed 81)".
const pageOf = ({ page, page_printed }) => (page_printed ? window.pageproof.t("pane.number_printed", { page, printed: page_printed }) : page)

const amountOf = (cell) => Number(cell.value.replaceAll(",", ""))

function Figure({ cell, year, shown }) {
  if (!cell) return <td className="pp-amount pp-empty" title={t("facts.missing", { year })}>–<span className="sr-only">{t("facts.missing", { year })}</span></td>
  return (
    <td className="pp-amount" data-year={year}>
      <a
        className={cell.sure ? "pp-figure" : "pp-figure pp-unsure"}
        href={cell.link || cell.pdf}
        target="_blank"
        rel="noopener noreferrer"
        title={[shown !== cell.value && cell.value, t(cell.sure ? "facts.printed" : "facts.unsure", { ...cell, page: pageOf(cell) })].filter(Boolean).join("\n")}
      >
        {shown}
      </a>
    </td>
  )
}

// The modules of ../cards; the card is drawn anew whenever somebody switches how figures are shown.
function useCards() {
  const [cards, setCards] = useState(null)
  const [, redraw] = useState(0)
  useEffect(() => {
    let [end, isGone] = [null, false]
    window.pageproof.cards().then((all) => {
      if (isGone) return
      setCards(all)
      end = all.whenDigitsChange(() => redraw((n) => n + 1))
    })
    return () => {
      isGone = true
      end?.()
    }
  }, [])
  return cards
}

export default function FactsCard() {
  const [copied, setCopied] = useState(false)
  const there = useWords()
  const cards = useCards()
  if (!there || !cards) return null
  const spoken = Object.fromEntries(["in_millions", "show_millions", "show_digits"].map((name) => [name, t(name, { unit: "{unit}" })]))
  const scale = new cards.Scale(props.lines.flatMap((line) => line.cells.filter(Boolean).map((cell) => ({ value: amountOf(cell), unit: line.unit }))))
  const copy = () => {
    const head = [t("facts.metric"), t("unit"), ...props.years].map((text) => ({ text }))
    const figure = (cell) => (cell ? { text: cell.value.replaceAll(",", ""), link: new URL(cell.link, location.origin).href } : { text: "" })
    return cards.copyCells([head, ...props.lines.map((line) => [{ text: line.metric }, { text: line.unit }, ...line.cells.map(figure)])]).then(() => setCopied(true))
  }
  return (
    <article className="pp-card pp-wide" aria-label={t("facts.of", props)}>
      <div className="pp-value pp-title">{props.company}</div>
      {props.lines.length === 0 ? (
        <p className="pp-reason">{t("facts.none")}</p>
      ) : (
        <>
          <p className="pp-note pp-files">
            {t("facts.about", { files: props.files.join(", ") })}
          </p>
          <div className="pp-scroll" tabIndex={0} role="region" aria-label={t("facts.table")}>
            <table className="pp-table pp-facts" data-testid="facts-table">
              <thead>
                <tr>
                  <th scope="col">{t("facts.metric")}</th>
                  <th scope="col">{t("unit")}</th>
                  {props.years.map((year) => (
                    <th key={year} scope="col" className="pp-amount">
                      {year}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {props.lines.map((line, k) => (
                  <tr key={k}>
                    <th scope="row">{line.metric}</th>
                    <td className="pp-note">{scale.unit(line.unit, spoken)}</td>
                    {line.cells.map((cell, c) => (
                      <Figure key={c} cell={cell} year={props.years[c]} shown={cell && scale.figure(amountOf(cell), line.unit, cell.value)} />
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
      {props.officers.length > 0 && (
        <ul className="pp-officers">
          {props.officers.map((officer, k) => (
            <li key={k}>
              <span className="pp-note">{officer.role}</span> {officer.name}{" "}
              <a className="pp-link" href={officer.link || officer.pdf} target="_blank" rel="noopener noreferrer">
                {t("page_short")} {officer.page}
              </a>
            </li>
          ))}
        </ul>
      )}
      <footer className="pp-footer">
        <span className="pp-tools">
          {scale.fits && (
            <button type="button" className="pp-text-button" data-testid="all-digits" onClick={() => cards.showAllDigits(!cards.areAllShown())}>
              {cards.digitsLabel(spoken)}
            </button>
          )}
          {props.lines.length > 0 && (
            <button type="button" className="pp-text-button" data-testid="facts-workbook" onClick={() => window.pageproof.factsBook(props.company)}>
              {t("workbook")}
            </button>
          )}
          <button type="button" className="pp-text-button" data-testid="copy-facts" onClick={copy}>
            {copied ? <Check size={13} aria-hidden="true" /> : <Copy size={13} aria-hidden="true" />}
            {copied ? t("copied") : t("facts.copy")}
          </button>
        </span>
      </footer>
    </article>
  )
}
