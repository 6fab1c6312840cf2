import { RotateCcw, TriangleAlert } from "lucide-react"
import { useState } from "react"

// What went wrong with a model, and what a person can do about it.
export default function TroubleCard() {
  const [said, setSaid] = useState("")
  const { headline, message, question, without } = props
  const withoutModel = async () => {
    const reply = await callAction({ name: "without_model", payload: {} })
    if (reply && reply.error) setSaid(reply.error)
    else sendUserMessage(question)
  }
  return (
    <div className="pp-card pp-trouble" role="alert" data-testid="trouble">
      <p className="pp-stage pp-stage-failed">
        <TriangleAlert size={16} aria-hidden="true" />
        <span>{headline}</span>
      </p>
      {message ? <p className="pp-note">{message}</p> : null}
      <div className="pp-row">
        <button type="button" className="pp-offer" data-testid="try-again" onClick={() => sendUserMessage(question)}>
          <span className="pp-file-name"><RotateCcw size={14} aria-hidden="true" /> Try again</span>
        </button>
        {without ? (
          <button type="button" className="pp-offer" data-testid="without-model" onClick={withoutModel}>
            Answer without a model
          </button>
        ) : null}
      </div>
      {said ? <p className="pp-warning">{said}</p> : null}
    </div>
  )
}
