import { useState } from "react"
import { Check, Copy } from "lucide-react"

function Figure({ cell, year }) {
  if (!cell) return <td className="pp-amount pp-empty">–</td>
  return (
    <td className="pp-amount" data-year={year}>
      <a
        className={cell.sure ? "pp-figure" : "pp-figure pp-unsure"}
        href={cell.link || cell.pdf}
        target="_blank"
        rel="noopener noreferrer"
        title={`Printed on page ${cell.page} as ${cell.printed}${cell.sure ? "" : "; not confirmed by a second figure"}`}
      >
        {cell.value}
      </a>
    </td>
  )
}

export default function FactsCard() {
  const [copied, setCopied] = useState(false)
  const copy = () => navigator.clipboard && navigator.clipboard.writeText(props.copied).then(() => setCopied(true))
  return (
    <article className="pp-card pp-wide" aria-label={`Facts of ${props.company}`}>
      <div className="pp-value pp-title">{props.company}</div>
      {props.lines.length === 0 ? (
        <p className="pp-reason">The rules found no figure in its report.</p>
      ) : (
        <>
          <p className="pp-note pp-files">
            Read by rules from {props.files.join(", ")}. Each figure opens its marked page; dotted ones are not
            confirmed by a second figure.
          </p>
          <div className="pp-scroll" tabIndex={0} role="region" aria-label="Table of facts">
            <table className="pp-table pp-facts" data-testid="facts-table">
              <thead>
                <tr>
                  <th scope="col">Metric</th>
                  <th scope="col">Unit</th>
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
                    <td className="pp-note">{line.unit}</td>
                    {line.cells.map((cell, c) => (
                      <Figure key={c} cell={cell} year={props.years[c]} />
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
                p. {officer.page}
              </a>
            </li>
          ))}
        </ul>
      )}
      <footer className="pp-footer">
        <span className="pp-tools">
          <button type="button" className="pp-text-button" data-testid="copy-facts" onClick={copy}>
            {copied ? <Check size={13} aria-hidden="true" /> : <Copy size={13} aria-hidden="true" />}
            {copied ? "Copied" : "Copy as a table"}
          </button>
        </span>
      </footer>
    </article>
  )
}
