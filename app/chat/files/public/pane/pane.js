// The page pane: a report beside the conversation, over it on a small screen, or as a page of its own.

import { loadWords, t } from "../words.js"
import { dragEdge } from "./gestures.js"
import { Marks } from "./marks.js"
import { make } from "../dom.js"
import { button, spinner, trouble } from "./parts.js"
import { boxesOf, numbered, placeOf, Report } from "./report.js"
import { Viewer } from "./viewer.js"

const ROOM = matchMedia("(min-width: 1000px)") // where conversation and pane fit beside each other
const LEAST = 380 // pixels
const LEAST_CHAT = 400
const WIDTH = "pageproof-pane-width"
const STYLES = new URL("pane.css", import.meta.url).href

export class Pane {
  // As a page of its own it fills the window, cannot be closed, and its address follows the page in view.
  constructor({ isWhole = false } = {}) {
    this.isWhole = isWhole
    this.title = make(isWhole ? "h1" : "h2", { className: "pane-title", id: "pane-title" })
    this.said = make("p", { className: "pane-said", hidden: true })
    this.marks = new Marks((mark) => this.show(mark))
    this.closer = button("close", t("pane.close"), () => this.close(), "Escape")
    this.closer.hidden = isWhole
    this.head = make("header", { className: "pane-head" }, make("div", { className: "pane-names" }, this.title, this.said), this.closer)
    this.inside = make("div", { className: "pane-inside" })
    this.edge = make("div", { className: "pane-edge", role: "separator", tabIndex: 0, "aria-orientation": "vertical", "aria-label": t("pane.width"), "aria-valuemin": LEAST })
    this.element = make("aside", { className: "pane", tabIndex: -1, "aria-labelledby": "pane-title" }, this.edge, this.head, this.inside)
    this.element.classList.toggle("pane-whole", isWhole)
    if (isWhole) this.element.setAttribute("role", "main")
    this.element.addEventListener("keydown", (event) => this.key(event))
    dragEdge(this.edge, () => this.element.offsetWidth, (width) => this.resize(width), () => this.store())
    this.fitScreen = () => this.dock()
  }

  // Opening and closing.

  async open(place) {
    if (!this.element.contains(document.activeElement)) this.before = document.activeElement
    if (!this.element.isConnected) {
      await styled()
      document.body.append(this.element)
      document.body.classList.add("pane-open")
      window.addEventListener("resize", this.fitScreen)
      this.resize(Number(localStorage.getItem(WIDTH)) || Math.min(innerWidth * 0.55, 820))
      this.dock()
    }
    await this.step(place)
    ;(this.viewer?.list.element ?? this.closer).focus({ preventScroll: true })
  }

  step(place) {
    const marks = place.marks?.length ? place.marks : [place]
    this.marks.set(marks, place.index ?? 0)
    this.boxes = boxesOf(place.boxes ?? this.marks.current.boxes)
    return this.show({ ...place, boxes: this.boxes })
  }

  // Turn to the first mark of a new answer, or say that it has none; who is writing goes on writing.
  follow(marks) {
    if (marks.length) return this.step({ ...marks[0], marks, index: 0 })
    this.leave()
    this.tell({})
    this.titled(t("pane.no_mark"))
    this.inside.replaceChildren(make("p", { className: "pane-empty" }, t("pane.no_mark_why")))
  }

  close() {
    if (this.isWhole) return
    this.leave()
    window.removeEventListener("resize", this.fitScreen)
    this.element.remove()
    document.body.classList.remove("pane-open")
    setBeyond(false)
    if (this.before?.isConnected) this.before.focus({ preventScroll: true })
  }

  leave() {
    this.opening?.abort()
    this.viewer?.close()
    this.viewer = null
  }

  // Show a place, in this report or in another one.
  async show(place) {
    this.tell(place)
    if (this.viewer?.report.sha1 === place.sha1) {
      this.viewer.goTo(place.page, place.boxes)
      return
    }
    const hadFocus = this.element.contains(document.activeElement)
    this.leave()
    if (hadFocus) this.element.focus() // keys go on working while the other report is loading
    const opening = new AbortController()
    this.opening = opening
    this.titled(place.title || t("pane.report"), numbered(place.page, place.printed))
    this.inside.replaceChildren(spinner(t("pane.loading")))
    try {
      const report = await Report.open(place.sha1, opening.signal)
      if (!opening.signal.aborted) this.read(report, place, hadFocus)
    } catch (error) {
      if (error.name === "AbortError") return
      this.fail(error, place)
    }
  }

  read(report, place, hadFocus) {
    this.viewer = new Viewer(report, this.marks, (page) => this.turned(page))
    this.inside.replaceChildren(...this.viewer.elements)
    this.viewer.goTo(place.page, place.boxes)
    if (hadFocus) this.viewer.list.element.focus({ preventScroll: true })
  }

  fail(error, place) {
    const box = trouble(error.message, () => this.show(place))
    if (error.status === 401) box.append(make("a", { className: "pane-retry", href: "/", textContent: t("pane.sign_in") }))
    this.inside.replaceChildren(box)
  }

  // What stands above the pages.

  tell({ quote, note }) {
    const words = quote || note || ""
    this.said.textContent = words
    this.said.title = words
    this.said.classList.toggle("pane-cited", Boolean(quote))
    this.said.hidden = !words
  }

  turned(page) {
    const { report } = this.viewer ?? {}
    if (!report) return
    this.titled(report.title, report.numbered(page))
    if (this.isWhole) history.replaceState(null, "", report.view(page, page === this.marks.current.page ? this.boxes : []))
  }

  titled(name, page = "") {
    const words = page ? t("pane.of_page", { name, page }) : name
    this.title.textContent = words
    if (this.isWhole) document.title = `${words} – Pageproof`
  }

  // Where it stands on the screen.

  dock() {
    if (this.isWhole) return
    const isBeside = ROOM.matches
    this.element.classList.toggle("pane-beside", isBeside)
    this.element.setAttribute("role", isBeside ? "complementary" : "dialog")
    if (isBeside) this.element.removeAttribute("aria-modal")
    else this.element.setAttribute("aria-modal", "true")
    setBeyond(!isBeside)
    this.resize(this.element.offsetWidth, isBeside)
  }

  resize(width, isKnown = true) {
    if (!isKnown) return
    const most = Math.max(LEAST, innerWidth - LEAST_CHAT)
    const fitting = Math.round(Math.min(most, Math.max(LEAST, width)))
    document.documentElement.style.setProperty("--pane-width", `${fitting}px`)
    this.edge.setAttribute("aria-valuenow", fitting)
    this.edge.setAttribute("aria-valuemax", most)
  }

  store() {
    localStorage.setItem(WIDTH, this.element.offsetWidth)
  }

  key(event) {
    if (event.key === "Escape") {
      event.preventDefault()
      this.close()
    } else if (event.key === "Tab" && this.element.getAttribute("aria-modal")) {
      stayInside(this.element, event)
    } else if (this.viewer?.key(event)) {
      event.preventDefault()
      event.stopPropagation()
    }
  }
}

// What lies under a pane that covers the screen can be reached by neither keys nor screen readers.
function setBeyond(isBeyond) {
  document.querySelector("#root")?.toggleAttribute("inert", isBeyond)
}

function stayInside(element, event) {
  const all = [...element.querySelectorAll("button, a[href], input, [tabindex='0']")].filter((each) => each.offsetParent && !each.closest("[hidden]") && each.tabIndex >= 0)
  const [first, last] = [all[0], all[all.length - 1]]
  if (event.shiftKey && document.activeElement === first) last.focus()
  else if (!event.shiftKey && document.activeElement === last) first.focus()
  else return
  event.preventDefault()
}

// The pane's looks, loaded once and before it is seen.
function styled() {
  const known = document.querySelector(`link[href="${STYLES}"]`)
  if (known) return Promise.resolve()
  return new Promise((resolve) => {
    const link = make("link", { rel: "stylesheet", href: STYLES })
    link.addEventListener("load", resolve, { once: true })
    link.addEventListener("error", resolve, { once: true })
    document.head.append(link)
  })
}

let pane = null
const expected = new Set()

export async function openPage(place) {
  await loadWords()
  pane ??= new Pane()
  return pane.open(place)
}

// What happens in the conversation beside an open pane: a new answer, whose marks these are, or another conversation.
export const follow = (marks) => pane?.element.isConnected && pane.follow(marks)
export const closePage = () => pane?.close()

// The server starts to draw when it is first asked about a report, which takes a moment.
export function expectPage(sha1) {
  if (!sha1 || expected.has(sha1)) return
  expected.add(sha1)
  Report.open(sha1).catch(() => expected.delete(sha1))
}

// Open what a link leads to. The marked links of the same card are the marks to step through.
export function openLink(link) {
  const place = placeOf(link.href)
  if (!place) return window.open(link.href, "_blank", "noopener")
  const links = [...(link.closest(".pp-card")?.querySelectorAll("a[href*='/report/']") ?? [])]
  const marked = links.filter((each) => placeOf(each.href)?.boxes.length)
  const index = marked.indexOf(link)
  const marks = index < 0 ? [] : marked.map((each) => ({ ...placeOf(each.href), label: each.textContent.trim() }))
  return openPage({ ...place, marks, index: Math.max(index, 0) })
}
