// The marks of an answer, one after the other; or the pages that were read for it, which have none.

import { t } from "../words.js"
import { make } from "../dom.js"
import { button } from "./parts.js"
import { boxesOf } from "./report.js"

export class Marks {
  // `show(place)` goes to one; they may be in several reports.
  constructor(show) {
    this.show = show
    this.all = []
    this.index = -1
    this.words = make("span", { className: "pane-mark-words" })
    this.element = make("div", { className: "pane-steps", role: "group", hidden: true })
  }

  // Step through the places of the kind that the first one shown is: marks, or pages without any.
  set(given, index) {
    const places = given.map((place) => ({ ...place, boxes: boxesOf(place.boxes) }))
    const first = places[Math.min(Math.max(index, 0), places.length - 1)]
    this.all = places.filter((place) => isMarked(place) === isMarked(first))
    this.index = this.all.indexOf(first)
    this.name(isMarked(first) ? "mark" : this.all.every((place) => place.isRead) ? "read" : "page")
    this.tell()
  }

  name(kind) {
    this.kind = kind
    const what = kind === "mark" ? "mark" : "page"
    this.element.setAttribute("aria-label", t(`pane.steps.${kind}.all`))
    this.element.replaceChildren(
      button("left", t(`pane.steps.${what}.previous`), () => this.step(-1), "p"),
      this.words,
      button("right", t(`pane.steps.${what}.next`), () => this.step(1), "n"),
    )
  }

  get current() {
    return this.all[this.index]
  }

  step(by) {
    if (!this.all.length) return
    this.index = (this.index + by + this.all.length) % this.all.length
    this.tell()
    this.show(this.current)
  }

  tell() {
    this.element.hidden = this.all.length < 2
    if (!this.current) return
    const label = this.current.label ? `: ${this.current.label}` : ""
    this.words.textContent = t(`pane.steps.${this.kind}.one`, { n: this.index + 1, count: this.all.length })
    this.words.title = `${this.words.textContent}${label}`
  }

  // What is marked on a page of a report.
  on(sha1, page) {
    return this.all
      .map((mark, k) => ({ ...mark, kind: "mark", isCurrent: k === this.index && this.all.length > 1 }))
      .filter((mark) => mark.sha1 === sha1 && mark.page === page)
  }
}

const isMarked = (place) => place.boxes.length > 0
