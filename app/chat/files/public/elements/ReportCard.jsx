import { useEffect, useState } from "react"
import { AlertTriangle, Check, ExternalLink, FileText, Loader2, Pencil, RotateCcw, Square, Trash2 } from "lucide-react"

const SIGNS = { failed: AlertTriangle, done: Check, busy: Loader2 }
const STALE = 20000 // milliseconds without news of a report on its way

// The words of this card in the screen's language; nothing is drawn before they are there.
const t = (name, values) => window.pageproof.t(`cards.${name}`, values)
function useWords() {
  const [there, setThere] = useState(Boolean(window.pageproof.t))
  useEffect(() => {
    window.pageproof.words().then(() => setThere(true))
  }, [])
  return there
}

// The server draws the card anew where it stands; what comes back is only what went wrong.
async function request(name, payload) {
  try {
    const { response } = await callAction({ name, payload: { ...payload, sha1: props.sha1, place: props.place } })
    return response || {}
  } catch {
    return { error: t("unreachable") }
  }
}

function Progress({ card }) {
  if (card.is_final || card.waits) return null
  const percent = card.share === null ? null : Math.round(card.share * 100)
  return (
    <div
      className="pp-progress"
      role="progressbar"
      aria-label={card.headline}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent === null ? undefined : percent}
    >
      <span className={percent === null ? "pp-progress-unknown" : ""} style={percent === null ? {} : { width: `${percent}%` }} />
    </div>
  )
}

function Known({ report }) {
  return (
    <dl className="pp-known">
      {report.fields.map((field) => (
        <div key={field.label}>
          <dt>{field.label}</dt>
          <dd data-testid={`report-${field.label.toLowerCase().replace(" ", "-")}`}>
            {field.value || "–"}{" "}
            <span className="pp-note" title={field.quote}>
              {field.source}
              {field.link && (
                <>
                  {", "}
                  <a className="pp-link" href={field.link} target="_blank" rel="noopener noreferrer" data-testid="report-evidence">
                    {t("page_short")} {field.page}
                  </a>
                </>
              )}
            </span>
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Correction({ card, onDone, onCancel }) {
  const { report } = card
  const [values, setValues] = useState({ company: report.company, currency: report.currency, period_end: report.period_end })
  const [error, setError] = useState("")
  const [busy, setBusy] = useState(false)
  const field = (name) => ({
    name,
    value: values[name],
    "data-testid": `correct-${name.replace("_", "-")}`,
    onChange: (event) => setValues({ ...values, [name]: event.target.value }),
  })
  const save = async (event) => {
    event.preventDefault()
    setBusy(true)
    const reply = await request("correct_report", values)
    setBusy(false)
    if (reply.error) setError(reply.error)
    else onDone()
  }
  return (
    <form className="pp-form" onSubmit={save}>
      <label>
        <span>{t("companies.company")}</span>
        <input {...field("company")} required maxLength={200} />
      </label>
      <label>
        <span>{t("report.currency")}</span>
        <input {...field("currency")} maxLength={3} placeholder="EUR" size={5} />
      </label>
      <label>
        <span>{t("report.period_end")}</span>
        <input {...field("period_end")} type="date" />
      </label>
      {error && (
        <p className="pp-warning" role="alert">
          {error}
        </p>
      )}
      <div className="pp-row">
        <button type="submit" className="pp-offer" data-testid="correct-save" disabled={busy}>
          {t(busy ? "report.saving" : "report.save")}
        </button>
        <button type="button" className="pp-text-button" onClick={onCancel}>
          {t("cancel")}
        </button>
      </div>
    </form>
  )
}

function Removal({ card, onCancel }) {
  const [error, setError] = useState("")
  const [busy, setBusy] = useState(false)
  const remove = async () => {
    setBusy(true)
    const reply = await request("remove_report", {})
    setBusy(false)
    setError(reply.error || "")
  }
  return (
    <div className="pp-confirm" role="alertdialog" aria-label={t("report.remove_of", card)}>
      <span>{t("report.remove_sure", card)}</span>
      <button type="button" className="pp-offer pp-danger" data-testid="remove-confirm" disabled={busy} onClick={remove}>
        {t(busy ? "report.removing" : "report.remove")}
      </button>
      <button type="button" className="pp-text-button" onClick={onCancel}>
        {t("report.keep")}
      </button>
      {error && (
        <p className="pp-warning" role="alert">
          {error}
        </p>
      )}
    </div>
  )
}

export default function ReportCard() {
  const [mode, setMode] = useState("")
  const [error, setError] = useState("")
  const card = props
  const there = useWords()
  // A card of a conversation that was left, or whose chat was started anew, asks how things stand.
  useEffect(() => {
    if (card.is_final) return
    const timer = setInterval(() => request("upload_state", {}), STALE)
    return () => clearInterval(timer)
  }, [JSON.stringify(card)])
  const call = async (name) => {
    const reply = await request(name, {})
    setError(reply.error || "")
    if (name === "retry_upload" && !reply.error) setMode("again")
  }
  if (!there) return null
  if (card.is_removed) {
    return (
      <article className="pp-card" data-testid="report-removed">
        <p className="pp-note">{t("report.gone")}</p>
      </article>
    )
  }
  const Sign = SIGNS[card.tone]
  const { report } = card
  return (
    <article className="pp-card" aria-label={t("report.named", card)} data-testid="report-card" data-final={card.is_final}>
      <div>
        <div className="pp-file-name">
          <FileText size={15} aria-hidden="true" /> {card.name}
        </div>
        <div className={`pp-stage pp-stage-${card.tone}`} data-testid="report-stage" aria-live="polite">
          <Sign size={15} aria-hidden="true" className={card.tone === "busy" && !card.is_final ? "pp-spin" : ""} />
          {card.headline}
        </div>
      </div>
      <Progress card={card} />
      {card.note && <p className="pp-note">{card.note}</p>}
      {report && mode !== "edit" && <Known report={report} />}
      {report && mode === "edit" && (
        <Correction
          card={card}
          onCancel={() => setMode("")}
          onDone={() => setMode("")}
        />
      )}
      {report && mode === "" && (
        <div className="pp-offers">
          <span className="pp-note">{t("ask")}</span>
          {report.questions.map((question) => (
            <button key={question} type="button" className="pp-offer" data-testid="report-ask" onClick={() => sendUserMessage(question)}>
              {question}
            </button>
          ))}
        </div>
      )}
      {mode === "remove" && <Removal card={card} onCancel={() => setMode("")} />}
      {mode === "again" && <p className="pp-note">{t("report.again")}</p>}
      {error && (
        <p className="pp-warning" role="alert">
          {error}
        </p>
      )}
      {mode === "" && (
        <footer className="pp-footer">
          <span className="pp-tools">
            {card.can_stop && (
              <button type="button" className="pp-text-button" data-testid="upload-stop" onClick={() => call("stop_upload")}>
                <Square size={13} aria-hidden="true" /> {t("report.stop")}
              </button>
            )}
            {card.can_retry && (
              <button type="button" className="pp-text-button" data-testid="upload-retry" onClick={() => call("retry_upload")}>
                <RotateCcw size={13} aria-hidden="true" /> {t("trouble.again")}
              </button>
            )}
            {report && (
              <a className="pp-text-button" href={report.pdf} target="_blank" rel="noopener noreferrer">
                <ExternalLink size={13} aria-hidden="true" /> {t("report.open")}
              </a>
            )}
            {report && report.can_change && (
              <button type="button" className="pp-text-button" data-testid="report-edit" onClick={() => setMode("edit")}>
                <Pencil size={13} aria-hidden="true" /> {t("report.correct")}
              </button>
            )}
            {((report && report.can_change) || card.can_retry) && (
              <button type="button" className="pp-text-button" data-testid="report-remove" onClick={() => setMode("remove")}>
                <Trash2 size={13} aria-hidden="true" /> {t("report.remove")}
              </button>
            )}
          </span>
        </footer>
      )}
    </article>
  )
}
