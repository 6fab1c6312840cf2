import { useState } from "react"
import { FileText, Trash2 } from "lucide-react"

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
      setError("The chat cannot be reached. Reload the page.")
    }
    setMode("")
  }
  return (
    <li className="pp-listed" data-testid="listed-report">
      <a className="pp-chip" href={report.pdf} target="_blank" rel="noopener noreferrer" title={report.file}>
        <FileText size={14} aria-hidden="true" /> {report.year}
        <span className="pp-chip-note">
          {report.pages} {report.pages === 1 ? "page" : "pages"}
        </span>
      </a>
      {report.whose && <span className={`pp-whose pp-whose-${report.whose}`}>{report.whose}</span>}
      {report.can_remove && mode === "" && (
        <button type="button" className="pp-text-button pp-quiet" data-testid="listed-remove" onClick={() => setMode("ask")}>
          <Trash2 size={13} aria-hidden="true" /> <span className="sr-only">Remove {report.file}</span>
        </button>
      )}
      {mode !== "" && (
        <span className="pp-confirm">
          Remove {report.file}?
          <button type="button" className="pp-offer pp-danger" data-testid="listed-confirm" disabled={mode === "busy"} onClick={remove}>
            {mode === "busy" ? "Removing" : "Remove"}
          </button>
          <button type="button" className="pp-text-button" onClick={() => setMode("")}>
            Keep it
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
  return (
    <article className="pp-card pp-wide" aria-label="Companies in the library" data-testid="companies-card">
      <div className="pp-value pp-title">{props.companies.length ? props.counts : "No reports yet"}</div>
      {props.companies.length > 0 && (
        <div className="pp-scroll" tabIndex={0} role="region" aria-label="Companies and reports">
          <table className="pp-table">
            <thead>
              <tr>
                <th scope="col">Company</th>
                <th scope="col">Reports</th>
                <th scope="col">
                  <span className="sr-only">Ask</span>
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
                    <button type="button" className="pp-text-button" onClick={() => sendUserMessage(`Show the facts of ${company.name}`)}>
                      Facts
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
          {props.more} more: <code>pageproof companies</code> lists all of them.
        </p>
      )}
      {props.takes_uploads && <p className="pp-note">Drop the PDF of an annual report into the chat to add it.</p>}
    </article>
  )
}
