// A report with its controls: pages, zoom, contents, search, and the marks of the answer.

import { t } from "../words.js"
import { Finder } from "./finder.js"
import { zoomByFingers, zoomByWheel } from "./gestures.js"
import { PageList } from "./page_list.js"
import { icon, make } from "../dom.js"
import { button } from "./parts.js"
import { Side } from "./side.js"

const ROOM_FOR_SIDE = 720 // pixels; in a narrower pane the contents close once they have led somewhere

export class Viewer {
  // `marks` steps through the answer's marks; `onPage(number)` is told which page is in view.
  constructor(report, marks, onPage) {
    this.report = report
    this.marks = marks
    this.onPage = onPage
    this.list = new PageList(
      report,
      { page: (number) => this.turned(number), zoom: (percent) => this.zoomed(percent) },
      (number) => [...marks.on(report.sha1, number), ...(this.finder?.onPage(number) ?? [])],
    )
    this.side = new Side(report, this.list.pictures, (page) => this.goFromSide(page), (index) => this.finder.go(index))
    this.finder = new Finder(report, {
      hits: (hits, isCut) => this.found(hits, isCut),
      show: (hit, index) => this.showHit(hit, index),
      close: () => this.list.element.focus(),
      page: () => this.list.page,
    })
    zoomByWheel(this.list)
    zoomByFingers(this.list)
    this.bar = this.makeBar()
    this.body = make("div", { className: "pane-body" }, this.side.element, this.list.element)
    this.elements = [this.bar, this.finder.element, this.body]
  }

  makeBar() {
    this.sideButton = button("list", t("pane.contents_and_pages"), () => this.toggleSide(), "c")
    this.sideButton.setAttribute("aria-expanded", "false")
    this.number = make("input", { className: "pane-number", inputMode: "numeric", "aria-label": t("pane.number", { count: this.report.count }), autocomplete: "off", value: "1" })
    this.number.style.width = `${String(this.report.count).length + 2.2}ch`
    this.number.addEventListener("focus", () => this.number.select())
    this.number.addEventListener("change", () => this.goToNumber())
    this.number.addEventListener("keydown", (event) => event.key === "Enter" && this.goToNumber())
    this.percent = make("span", { className: "pane-percent", role: "status", "aria-label": t("pane.zoom") })
    const pdf = make("a", { className: "pane-tool", target: "_blank", rel: "noopener noreferrer", title: t("pane.pdf"), "aria-label": t("pane.pdf") }, icon("out"))
    this.pdf = pdf
    const group = (name, ...parts) => make("div", { className: "pane-group", role: "group", "aria-label": name }, ...parts)
    return make(
      "div",
      { className: "pane-toolbar" },
      this.sideButton,
      group(t("pane.page_group"), this.number, make("span", { className: "pane-of", textContent: `/ ${this.report.count}` })),
      group(
        t("pane.zoom"),
        button("minus", t("pane.smaller"), () => this.zoom(-1), "-"),
        this.percent,
        button("plus", t("pane.larger"), () => this.zoom(1), "+"),
        button("fit", t("pane.fit"), () => this.list.fit(), "0"),
      ),
      button("search", t("pane.search"), () => this.finder.open(), "/"),
      pdf,
      this.marks.element,
    )
  }

  // Going somewhere.

  goTo(page, boxes = []) {
    this.list.goTo(page, boxes)
    this.list.remark()
  }

  goToNumber() {
    const page = Number.parseInt(this.number.value, 10)
    if (page >= 1 && page <= this.report.count && page !== this.list.page) this.list.goTo(page)
    this.number.value = this.list.page
  }

  goFromSide(page) {
    this.list.goTo(page)
    if (this.body.clientWidth < ROOM_FOR_SIDE) this.toggleSide(false)
  }

  showHit(hit, index) {
    this.list.goTo(hit.page, hit.boxes)
    this.list.remark()
    this.side.follow(hit.page, index)
  }

  found(hits, isCut) {
    this.side.setHits(hits, isCut)
    this.list.remark()
    if (hits.length > 1 && this.body.clientWidth >= ROOM_FOR_SIDE && !this.side.element.hidden) this.side.choose("found")
  }

  // Larger and smaller keep the current mark or hit where it is, if it is in view.
  zoom(steps) {
    const hit = this.finder.hits[this.finder.index]
    const mark = hit ?? this.marks.current
    const isHere = mark && (hit || mark.sha1 === this.report.sha1)
    this.list.zoomBy(steps, isHere ? this.list.pointOf(mark.page, mark.boxes) : null)
  }

  toggleSide(opens = this.side.element.hidden) {
    if (opens) this.side.open(this.finder.hits.length ? "found" : "")
    this.side.element.hidden = !opens
    this.sideButton.setAttribute("aria-expanded", String(opens))
    if (opens) this.side.follow(this.list.page)
    else this.list.element.focus()
  }

  // What the pages say of themselves.

  turned(page) {
    if (document.activeElement !== this.number) this.number.value = page
    this.number.title = t("pane.page", { page: this.report.numbered(page) })
    this.pdf.href = `${this.report.pdf}#page=${page}`
    if (!this.side.element.hidden && this.side.chosen !== "found") this.side.follow(page)
    this.side.page = page
    this.onPage(page)
  }

  zoomed(percent) {
    this.percent.textContent = `${percent} %`
  }

  // Whether a key was one of the viewer's.
  key(event) {
    const isTyped = event.target.matches("input")
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "f") return this.act(() => this.finder.open())
    if (event.ctrlKey || event.metaKey || event.altKey || isTyped) return false
    const { list } = this
    const acts = {
      PageDown: () => list.by(1),
      PageUp: () => list.by(-1),
      " ": () => list.by(event.shiftKey ? -1 : 1),
      Home: () => list.goTo(1),
      End: () => list.goTo(this.report.count),
      ArrowLeft: () => list.goTo(list.page - 1),
      ArrowRight: () => list.goTo(list.page + 1),
      "+": () => this.zoom(1),
      "=": () => this.zoom(1),
      "-": () => this.zoom(-1),
      0: () => list.fit(),
      n: () => this.marks.step(1),
      p: () => this.marks.step(-1),
      c: () => this.toggleSide(),
      "/": () => this.finder.open(),
    }
    const isOnControl = event.target.matches("button, a, [role=separator]")
    if (isOnControl && [" ", "ArrowLeft", "ArrowRight"].includes(event.key)) return false
    if (list.isCut && event.key.startsWith("Arrow")) return false
    return event.key in acts && this.act(acts[event.key])
  }

  act(action) {
    action()
    return true
  }

  close() {
    this.list.close()
    this.side.close()
  }
}
