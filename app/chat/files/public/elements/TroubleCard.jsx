import { RotateCcw, TriangleAlert } from "lucide-react"
import { useEffect, useState } from "react"

// The words of this card in the screen's language; nothing is drawn before they are there.
const t = (name, values) => window.pageproof.t(`cards.${name}`, values)
function useWords() {
  const [there, setThere] = useState(Boolean(window.pageproof.t))
  useEffect(() => {
    window.pageproof.words().then(() => setThere(true))
  }, [])
  return there
}

// What went wrong with a model, and what a person can do about it.
export default function TroubleCard() {
  const [said, setSaid] = useState("")
  const { headline, note, message, question, without } = props
  const there = useWords()
  const withoutModel = async () => {
    const reply = await callAction({ name: "without_model", payload: {} })
    if (reply && reply.error) setSaid(reply.error)
    else sendUserMessage(question)
  }
  if (!there) return null
  return (
    <div className="pp-card pp-trouble" role="alert" data-testid="trouble">
      <p className="pp-stage pp-stage-failed">
        <TriangleAlert size={16} aria-hidden="true" />
        <span>{headline}</span>
      </p>
      {note || message ? <p className="pp-note">{note || message}</p> : null}
      <div className="pp-row">
        <button type="button" className="pp-offer" data-testid="try-again" onClick={() => sendUserMessage(question)}>
          <span className="pp-file-name"><RotateCcw size={14} aria-hidden="true" /> {t("trouble.again")}</span>
        </button>
        {without ? (
          <button type="button" className="pp-offer" data-testid="without-model" onClick={withoutModel}>
            {t("trouble.without")}
          </button>
        ) : null}
      </div>
      {said ? <p className="pp-warning">{said}</p> : null}
    </div>
  )
}
