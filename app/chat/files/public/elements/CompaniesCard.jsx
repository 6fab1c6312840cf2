import { useEffect, useState } from "react"
import { FileText, Trash2 } from "lucide-react"

// The words of this card in the screen's language; nothing is drawn before they are there.
const t = (name, values) => window.pageproof.t(`cards.${name}`, values)
function useWords() {
  const [there, setThere] = useState(Boolean(window.pageproof.t))
  useEffect(() => {
    window.pageproof.words().then(() => setThere(true))
  }, [])
  return there
}

function Report({ report }) {
  const [mode, setMode] = useState("")
  const [error, setError] = useState("")
  const remove = async () => {
    setMode("busy")
    try {
      const payload = { sha1: report.sha1, place: props.place, from_list: true }
      const { response } = await callAction({ name: "remove_report", payload })
      setError((response && response.error) || "") // else the server draws the list anew
    } catch {
      setError(t("unreachable"))
    }
    setMode("")
  }
  return (
    <li className="pp-listed" data-testid="listed-report">
      <a className="pp-chip" href={report.pdf} target="_blank" rel="noopener noreferrer" title={report.file}>
        <FileText size={14} aria-hidden="true" /> {report.year}
        <span className="pp-chip-note">
          {report.pages} {t(report.pages === 1 ? "page_one" : "page_many")}
        </span>
      </a>
      {report.whose && <span className={`pp-whose pp-whose-${report.whose}`}>{t(`whose.${report.whose}`)}</span>}
      {report.can_remove && mode === "" && (
        <button type="button" className="pp-text-button pp-quiet" data-testid="listed-remove" onClick={() => setMode("ask")}>
          <Trash2 size={13} aria-hidden="true" /> <span className="sr-only">{t("report.remove_of", { name: report.file })}</span>
        </button>
      )}
      {mode !== "" && (
        <span className="pp-confirm">
          {t("report.remove_sure_short", { name: report.file })}
          <button type="button" className="pp-offer pp-danger" data-testid="listed-confirm" disabled={mode === "busy"} onClick={remove}>
            {t(mode === "busy" ? "report.removing" : "report.remove")}
          </button>
          <button type="button" className="pp-text-button" onClick={() => setMode("")}>
            {t("report.keep")}
          </button>
        </span>
      )}
      {error && (
        <span className="pp-warning" role="alert">
          {error}
        </span>
      )}
    </li>
  )
}

export default function CompaniesCard() {
  const there = useWords()
  if (!there) return null
  return (
    <article className="pp-card pp-wide" aria-label={t("companies.title")} data-testid="companies-card">
      <div className="pp-value pp-title">{props.companies.length ? props.counts : t("companies.none")}</div>
      {props.companies.length > 0 && (
        <div className="pp-scroll" tabIndex={0} role="region" aria-label={t("companies.table")}>
          <table className="pp-table">
            <thead>
              <tr>
                <th scope="col">{t("companies.company")}</th>
                <th scope="col">{t("companies.reports")}</th>
                <th scope="col">
                  <span className="sr-only">{t("ask")}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {props.companies.map((company) => (
                <tr key={company.name} data-testid="company-row">
                  <th scope="row">
                    {company.name}
                    {company.currency && <div className="pp-note">{company.currency}</div>}
                  </th>
                  <td>
                    <ul className="pp-list">
                      {company.reports.map((report) => (
                        <Report key={report.sha1} report={report} />
                      ))}
                    </ul>
                  </td>
                  <td className="pp-amount">
                    <button type="button" className="pp-text-button" onClick={() => window.pageproof.showFacts(company.reports[0].sha1)}>
                      {t("companies.facts")}
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {props.more > 0 && (
        <p className="pp-note">
          {t("companies.more", { n: props.more })} <code>pageproof companies</code>
        </p>
      )}
      {props.takes_uploads && <p className="pp-note">{t("companies.drop")}</p>}
    </article>
  )
}
