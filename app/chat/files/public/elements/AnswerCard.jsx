import { useState } from "react"
import { Check, ChevronRight, Copy, ExternalLink, FileText, Minus, X } from "lucide-react"
import { Sheet, SheetContent, SheetDescription, SheetHeader, SheetTitle, SheetTrigger } from "@/components/ui/sheet"

const SIGNS = { passed: Check, failed: X, not_applicable: Minus }
const VERDICTS = { passed: "passed", failed: "failed", not_applicable: "does not apply" }

function Citation({ citation }) {
  const [lost, setLost] = useState(false)
  return (
    <Sheet>
      <SheetTrigger asChild>
        <button type="button" className="pp-chip" data-testid="citation" title={citation.title}>
          <FileText size={14} aria-hidden="true" />
          {citation.label}
          {citation.note && ` · ${citation.note}`}
        </button>
      </SheetTrigger>
      <SheetContent className="pp-sheet">
        <SheetHeader>
          <SheetTitle className="pp-sheet-title">{citation.title}</SheetTitle>
          <SheetDescription className="pp-quote">{citation.quote}</SheetDescription>
        </SheetHeader>
        <a className="pp-link" href={citation.pdf} target="_blank" rel="noopener noreferrer">
          Open PDF at this page <ExternalLink size={13} aria-hidden="true" />
        </a>
        {lost ? (
          <p className="pp-note">This page cannot be drawn.</p>
        ) : (
          <img
            data-testid="page-image"
            className="pp-page"
            src={citation.image}
            alt={citation.title}
            style={{ aspectRatio: `${citation.page_width} / ${citation.page_height}` }}
            onError={() => setLost(true)}
          />
        )}
      </SheetContent>
    </Sheet>
  )
}

function Citations({ citations }) {
  return (
    <div className="pp-row">
      {citations.map((citation, k) => (
        <Citation key={k} citation={citation} />
      ))}
    </div>
  )
}

function Checks({ checks }) {
  if (!checks.length) return null
  const failed = checks.filter((check) => check.verdict === "failed" && check.detail)
  return (
    <div>
      <div className="pp-row pp-checks" aria-label="Checks against the page">
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
              <Sign size={14} aria-hidden="true" />
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

function Parts({ parts }) {
  if (!parts.length) return null
  return (
    <div className="pp-parts">
      {parts.map((part, k) => (
        <div key={k} className="pp-part">
          <div>
            <div>{part.company}</div>
            {part.period && <div className="pp-note">{part.period}</div>}
          </div>
          <div className="pp-part-value">
            {part.values.join(", ")}
            {part.reason && <div className="pp-note">{part.reason}</div>}
          </div>
          <Citations citations={part.citations} />
        </div>
      ))}
    </div>
  )
}

function Reasoning({ text }) {
  if (!text) return null
  return (
    <details className="pp-reasoning">
      <summary>
        <ChevronRight size={14} aria-hidden="true" /> Reasoning
      </summary>
      <p>{text}</p>
    </details>
  )
}

function CopyAnswer({ text, label }) {
  const [copied, setCopied] = useState(false)
  const copy = () => navigator.clipboard.writeText(text).then(() => setCopied(true))
  return (
    <button type="button" className="pp-copy" onClick={copy}>
      {copied ? <Check size={13} aria-hidden="true" /> : <Copy size={13} aria-hidden="true" />}
      {copied ? "Copied" : label}
    </button>
  )
}

export default function AnswerCard() {
  const about = [props.company, props.period].filter(Boolean)
  // Each company of a comparison has its own citations.
  const citations = props.parts.some((part) => part.citations.length) ? [] : props.citations
  const tone = !props.available ? "pp-none" : props.prose ? "pp-prose" : "pp-large"
  return (
    <article className="pp-card" aria-label={`Answer to: ${props.question}`}>
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
      {props.reason && <p className="pp-reason">{props.reason}</p>}
      {props.candidates.length > 0 && (
        <div className="pp-candidates">
          <span className="pp-note">Ask about</span>
          {props.candidates.map((name, k) => (
            <button
              key={k}
              type="button"
              className="pp-candidate"
              data-testid="candidate"
              onClick={() => sendUserMessage(`${props.question} (${name})`)}
            >
              {name}
            </button>
          ))}
        </div>
      )}
      <Parts parts={props.parts} />
      {citations[0]?.quote && <blockquote className="pp-quote">{citations[0].quote}</blockquote>}
      {citations.length > 0 && <Citations citations={citations} />}
      <Checks checks={props.checks} />
      {props.summary && !props.prose && <p className="pp-summary">{props.summary}</p>}
      <Reasoning text={props.analysis === props.summary ? "" : props.analysis} />
      <footer className="pp-footer">
        <span>{props.model_use}</span>
        <span>{props.seconds}</span>
        {props.profile && <span>profile {props.profile}</span>}
        <CopyAnswer text={props.copied} label={props.citations.length ? "Copy with citations" : "Copy"} />
      </footer>
    </article>
  )
}
