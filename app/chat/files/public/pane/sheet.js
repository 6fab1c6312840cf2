// One page as it is shown: its picture, the marks on it, and its words, which can be selected and copied.

import { t } from "../words.js"
import { make } from "../dom.js"
import { spinner, trouble } from "./parts.js"

const PADDING = 1.5 // points around a mark, so that it does not cut the letters
const LETTER = 0.82 // of the height of a printed line is the size of its letters

export class Sheet {
  // `urgency(number)` says how much a page matters just now, the smallest most.
  constructor(report, number, pictures, urgency) {
    this.report = report
    this.number = number
    this.pictures = pictures
    this.urgency = () => urgency(number)
    this.level = 0
    this.wanted = 0
    this.failed = 0 // the level that could not be drawn, until the reader tries again
    this.abort = null
    const [width, height] = report.pages[number - 1]
    const size = `width:${width}px;height:${height}px`
    this.picture = make("img", { className: "pane-picture", alt: t("pane.page", { page: report.numbered(number) }), draggable: false, hidden: true })
    this.marks = make("div", { className: "pane-layer pane-marks", style: size, "aria-hidden": "true" })
    this.words = make("div", { className: "pane-layer pane-words", style: size })
    this.state = make("div", { className: "pane-state" })
    this.element = make(
      "section",
      { className: "pane-paper", "aria-label": t("pane.page_of", { page: report.numbered(number), count: report.count }), "data-page": number },
      this.picture,
      this.marks,
      this.words,
      this.state,
    )
  }

  place(left, top, zoom) {
    const [width, height] = this.report.pages[this.number - 1]
    Object.assign(this.element.style, {
      left: `${left}px`,
      top: `${top}px`,
      width: `${width * zoom}px`,
      height: `${height * zoom}px`,
    })
    this.element.style.setProperty("--pane-zoom", zoom)
  }

  // Draw the page with so many pixels a point; what is there stays until the new picture is.
  async draw(level) {
    if (level === this.level || level === this.wanted || level === this.failed) return
    this.abort?.abort()
    this.abort = new AbortController()
    this.wanted = level
    if (!this.level) this.state.replaceChildren(spinner(t("pane.page_loading", { page: this.number })))
    try {
      const blob = await this.pictures.fetch(this.report.picture(this.number, level), this.urgency, this.abort.signal)
      await this.put(blob, level)
    } catch (error) {
      if (error.name !== "AbortError" && this.wanted === level) this.fail(error, level)
    }
  }

  async put(blob, level) {
    const address = URL.createObjectURL(blob)
    const next = this.picture.cloneNode()
    next.src = address
    try {
      await next.decode()
    } catch {
      URL.revokeObjectURL(address)
      throw new Error(t("pane.picture_damaged"))
    }
    if (this.wanted !== level) {
      URL.revokeObjectURL(address)
      return
    }
    next.hidden = false
    if (this.picture.dataset.testid) next.dataset.testid = this.picture.dataset.testid
    else delete next.dataset.testid
    this.picture.replaceWith(next)
    URL.revokeObjectURL(this.picture.src)
    this.picture = next
    this.level = level
    this.wanted = 0
    this.state.replaceChildren()
  }

  fail(error, level) {
    this.wanted = 0
    if (this.level) return // a picture that is not quite sharp is better than none
    this.failed = level
    const again = () => {
      this.failed = 0
      this.draw(level)
    }
    this.state.replaceChildren(trouble(t("pane.page_failed", { page: this.number, why: error.message }), again))
  }

  // Put the words over the picture, once.
  async read() {
    if (this.isRead) return
    this.isRead = true
    try {
      const { pieces } = await this.report.text(this.number)
      this.words.replaceChildren(...laidOut(pieces))
    } catch {
      this.isRead = false // the picture is there all the same
    }
  }

  // Marks are {boxes, kind, isCurrent}; kind is "mark" or "hit".
  mark(marks) {
    const drawn = marks.flatMap(({ boxes, kind, isCurrent }) =>
      boxes.map(([left, top, right, bottom]) => {
        const box = make("div", { className: `pane-${kind}${isCurrent ? " pane-current" : ""}` })
        Object.assign(box.style, {
          left: `${left - PADDING}px`,
          top: `${top - PADDING}px`,
          width: `${right - left + 2 * PADDING}px`,
          height: `${bottom - top + 2 * PADDING}px`,
        })
        return box
      }),
    )
    this.marks.replaceChildren(...drawn)
  }

  close() {
    this.wanted = 0
    this.abort?.abort()
    URL.revokeObjectURL(this.picture.src)
    this.element.remove()
  }
}

const ruler = document.createElement("canvas").getContext("2d")

function widthOf(text, size) {
  ruler.font = `${size}px sans-serif`
  return ruler.measureText(text).width
}

// The pieces as lines of clear letters over the printed ones; cells of a row are parted by tabs when they are copied.
function laidOut(pieces) {
  return pieces.flatMap((piece, k) => {
    const before = pieces[k - 1]
    const parting = !before ? [] : isSameRow(before.box, piece.box) ? [document.createTextNode("\t")] : [make("br")]
    return [...parting, word(piece)]
  })
}

function isSameRow(a, b) {
  const shared = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)
  return shared > 0.5 * Math.min(a.bottom - a.top, b.bottom - b.top) && b.left >= a.right
}

function word({ text, box }) {
  const [width, height] = [box.right - box.left, box.bottom - box.top]
  if (height > 1.5 * width && text.length > 2) return upright(text, box, width, height)
  let size = height * LETTER
  const natural = widthOf(text, size)
  const lines = natural > 1.8 * width ? Math.max(1, Math.round(Math.sqrt(natural / width))) : 1
  const span = make("span", { textContent: text })
  Object.assign(span.style, { left: `${box.left}px`, top: `${box.top}px`, height: `${height}px` })
  if (lines > 1) {
    size /= lines
    Object.assign(span.style, { width: `${width}px`, whiteSpace: "pre-wrap", lineHeight: `${height / lines}px` })
  } else {
    Object.assign(span.style, { lineHeight: `${height}px`, transform: `scaleX(${natural ? width / natural : 1})` })
  }
  span.style.fontSize = `${size}px`
  return span
}

// Print that runs from top to bottom, or from bottom to top.
function upright(text, box, width, height) {
  const size = width * LETTER
  const natural = widthOf(text, size)
  const span = make("span", { textContent: text })
  Object.assign(span.style, {
    left: `${box.left}px`,
    top: `${box.top}px`,
    fontSize: `${size}px`,
    lineHeight: `${width}px`,
    writingMode: "vertical-rl",
    transform: `scaleY(${natural ? height / natural : 1})`,
  })
  return span
}
