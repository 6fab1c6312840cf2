// The marks of an answer, one after the other.

import { t } from "../words.js"
import { make } from "../dom.js"
import { button } from "./parts.js"
import { boxesOf } from "./report.js"

export class Marks {
  // `show(mark)` goes to one; marks may be in several reports.
  constructor(show) {
    this.show = show
    this.all = []
    this.index = -1
    this.words = make("span", { className: "pane-mark-words" })
    this.element = make(
      "div",
      { className: "pane-steps", role: "group", "aria-label": t("pane.marks"), hidden: true },
      button("left", t("pane.previous_mark"), () => this.step(-1), "p"),
      this.words,
      button("right", t("pane.next_mark"), () => this.step(1), "n"),
    )
  }

  set(given, index) {
    this.all = given.map((mark) => ({ ...mark, boxes: boxesOf(mark.boxes) }))
    this.index = Math.min(Math.max(index, 0), this.all.length - 1)
    this.tell()
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
    this.words.textContent = t("pane.mark", { n: this.index + 1, count: this.all.length })
    this.words.title = `${this.words.textContent}${label}`
  }

  // What is marked on a page of a report.
  on(sha1, page) {
    return this.all
      .map((mark, k) => ({ ...mark, kind: "mark", isCurrent: k === this.index && this.all.length > 1 }))
      .filter((mark) => mark.sha1 === sha1 && mark.page === page)
  }
}
