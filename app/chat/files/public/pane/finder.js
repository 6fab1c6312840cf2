// Searches the words of a report, and steps through what is found.

import { t } from "../words.js"
import { make } from "../dom.js"
import { button } from "./parts.js"
import { boxesOf } from "./report.js"

const PAUSE = 250 // milliseconds after the last letter

export class Finder {
  // `on` is told: hits(hits) when they change, show(hit) to go to one, close() when the search ends.
  constructor(report, on) {
    this.report = report
    this.on = on
    this.hits = []
    this.index = -1
    this.input = make("input", { type: "search", className: "pane-search", placeholder: t("pane.search"), "aria-label": t("pane.search"), autocomplete: "off", spellcheck: false, maxLength: 200 })
    this.count = make("span", { className: "pane-count", role: "status" })
    this.element = make(
      "div",
      { className: "pane-finder", role: "search", hidden: true },
      this.input,
      this.count,
      button("up", t("pane.previous_hit"), () => this.step(-1), "Shift+Enter"),
      button("down", t("pane.next_hit"), () => this.step(1), "Enter"),
      button("close", t("pane.end_search"), () => this.close()),
    )
    this.input.addEventListener("input", () => {
      clearTimeout(this.timer)
      this.timer = setTimeout(() => this.find(), PAUSE)
    })
    this.input.addEventListener("keydown", (event) => this.key(event))
  }

  key(event) {
    if (event.key === "Enter") {
      event.preventDefault()
      if (this.input.value.trim() === this.found) this.step(event.shiftKey ? -1 : 1)
      else this.find()
    } else if (event.key === "Escape") {
      event.preventDefault()
      event.stopPropagation()
      this.close()
    }
  }

  open() {
    this.element.hidden = false
    this.input.focus()
    this.input.select()
  }

  close() {
    if (this.element.hidden) return
    clearTimeout(this.timer)
    this.abort?.abort()
    this.element.hidden = true
    this.take({ hits: [], is_cut: false }, "")
    this.count.textContent = ""
    this.on.close()
  }

  async find() {
    clearTimeout(this.timer)
    this.abort?.abort()
    const words = this.input.value.trim()
    if (words === this.found) return
    if (!words) {
      this.take({ hits: [], is_cut: false }, "")
      this.count.textContent = ""
      return
    }
    this.abort = new AbortController()
    this.count.textContent = t("pane.searching")
    try {
      this.take(await this.report.find(words, this.abort.signal), words)
    } catch (error) {
      if (error.name === "AbortError") return
      this.take({ hits: [], is_cut: false }, null)
      this.count.textContent = error.status === 404 ? t("pane.no_text") : error.message
    }
  }

  take(found, words) {
    this.found = words
    this.hits = found.hits.map((hit) => ({ ...hit, boxes: boxesOf(hit.boxes) }))
    this.isCut = found.is_cut
    this.index = -1
    this.tell()
    this.on.hits(this.hits, this.isCut)
    if (this.hits.length) this.go(this.nearest())
  }

  // The first hit from the page in view on.
  nearest() {
    const after = this.hits.findIndex((hit) => hit.page >= this.on.page())
    return after < 0 ? 0 : after
  }

  go(index) {
    this.index = index
    this.tell()
    this.on.show(this.hits[index], index)
  }

  step(by) {
    if (this.hits.length) this.go((this.index + by + this.hits.length) % this.hits.length)
  }

  tell() {
    const total = `${this.hits.length}${this.isCut ? "+" : ""}`
    this.count.textContent = this.hits.length ? t("pane.hit", { n: this.index + 1, count: total }) : t("pane.no_hit")
  }

  onPage(page) {
    return this.hits
      .map((hit, k) => ({ boxes: hit.boxes, page: hit.page, kind: "hit", isCurrent: k === this.index }))
      .filter((hit) => hit.page === page)
  }
}
