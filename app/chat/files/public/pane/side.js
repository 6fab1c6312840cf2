// Beside the pages: the report's contents, small pictures of all pages, and what a search found.

import { t } from "../words.js"
import { make } from "../dom.js"

const THUMB = 84 // pixels wide

export class Side {
  // `goTo(page)` and `goToHit(index)` move the pages.
  constructor(report, pictures, goTo, goToHit) {
    this.report = report
    this.pictures = pictures
    this.goTo = goTo
    this.goToHit = goToHit
    this.page = 1
    this.lists = {
      contents: this.panel("contents", t("pane.contents")),
      pages: this.panel("pages", t("pane.pages")),
      found: this.panel("found", ""),
    }
    this.tabs = Object.entries(this.lists).map(([name, { label }]) => this.tab(name, label))
    const bar = make("div", { className: "pane-tabs", role: "tablist", "aria-label": t("pane.way") }, ...this.tabs)
    bar.addEventListener("keydown", (event) => this.key(event))
    this.element = make("div", { className: "pane-side", hidden: true }, bar, ...Object.values(this.lists).map(({ body }) => body))
    this.fillContents()
    this.setHits([], false)
    this.choose(report.contents.length ? "contents" : "pages")
  }

  panel(name, label) {
    const body = make("div", { className: "pane-list", role: "tabpanel", id: `pane-list-${name}`, "aria-labelledby": `pane-tab-${name}` })
    return { label, body }
  }

  tab(name, label) {
    const tab = make("button", { type: "button", className: "pane-tab", role: "tab", id: `pane-tab-${name}`, textContent: label, "aria-controls": `pane-list-${name}`, "data-name": name })
    tab.addEventListener("click", () => this.choose(name))
    return tab
  }

  key(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (!by) return
    event.preventDefault()
    event.stopPropagation()
    const shown = this.tabs.filter((tab) => !tab.hidden)
    const place = shown.findIndex((tab) => tab.dataset.name === this.chosen)
    const next = shown[(place + by + shown.length) % shown.length]
    this.choose(next.dataset.name)
    next.focus()
  }

  choose(name) {
    this.chosen = name
    for (const tab of this.tabs) {
      const isChosen = tab.dataset.name === name
      tab.setAttribute("aria-selected", isChosen)
      tab.tabIndex = isChosen ? 0 : -1
      this.lists[tab.dataset.name].body.hidden = !isChosen
    }
    if (name === "pages") this.fillPages()
    this.follow(this.page)
  }

  open(name) {
    this.element.hidden = false
    if (name) this.choose(name)
    else this.follow(this.page)
  }

  fillContents() {
    const rows = this.report.contents.map(({ title, level, page }) => {
      const row = make("button", { type: "button", className: "pane-entry", "data-page": page }, make("span", { textContent: title }), make("span", { className: "pane-entry-page", textContent: page }))
      row.style.paddingLeft = `${0.5 + 0.8 * (Math.min(level, 4) - 1)}rem`
      row.setAttribute("aria-label", t("pane.entry", { title, page: this.report.numbered(page) }))
      row.title = t("pane.page", { page: this.report.numbered(page) })
      row.addEventListener("click", () => this.goTo(page))
      return row
    })
    const none = make("p", { className: "pane-none-here", textContent: t("pane.no_contents") })
    this.lists.contents.body.replaceChildren(...(rows.length ? rows : [none]))
  }

  fillPages() {
    const { body } = this.lists.pages
    if (body.childElementCount) return
    this.watch = new IntersectionObserver((seen) => seen.forEach((each) => this.seen(each)), { root: body, rootMargin: "200px" })
    body.append(
      ...this.report.pages.map(([width, height], k) => {
        const page = k + 1
        const frame = make("span", { className: "pane-thumb-frame" })
        frame.style.aspectRatio = `${width} / ${height}`
        frame.style.width = `${Math.min(THUMB, (THUMB * 1.3 * width) / height)}px`
        const thumb = make("button", { type: "button", className: "pane-thumb", "data-page": page, title: t("pane.page", { page: this.report.numbered(page) }), "aria-label": t("pane.page", { page: this.report.numbered(page) }) }, frame, make("span", { textContent: page }))
        thumb.addEventListener("click", () => this.goTo(page))
        this.watch.observe(thumb)
        return thumb
      }),
    )
  }

  async seen({ target, isIntersecting }) {
    const frame = target.firstElementChild
    if (!isIntersecting || frame.childElementCount || target.isAsked) return
    target.isAsked = true
    const page = Number(target.dataset.page)
    try {
      this.abort ??= new AbortController()
      const level = this.report.levels[0]
      const blob = await this.pictures.fetch(this.report.picture(page, level), () => 1000 + Math.abs(page - this.page), this.abort.signal)
      const address = URL.createObjectURL(blob)
      const small = make("img", { alt: "", src: address })
      small.addEventListener("load", () => URL.revokeObjectURL(address), { once: true })
      frame.replaceChildren(small)
    } catch {
      target.isAsked = false // the number is there, and the next look tries again
    }
  }

  setHits(hits, isCut) {
    const { body } = this.lists.found
    const tab = this.tabs.find((each) => each.dataset.name === "found")
    tab.hidden = !hits.length
    tab.textContent = t("pane.found", { count: `${hits.length}${isCut ? "+" : ""}` })
    body.replaceChildren(
      ...hits.map((hit, k) => {
        const words = make("span", {}, `…${hit.before}`, make("mark", { textContent: hit.text }), `${hit.after}…`)
        const row = make("button", { type: "button", className: "pane-entry pane-hit-entry", "data-index": k }, words, make("span", { className: "pane-entry-page", textContent: hit.page }))
        row.title = t("pane.page", { page: this.report.numbered(hit.page) })
        row.addEventListener("click", () => this.goToHit(k))
        return row
      }),
    )
    if (!hits.length && this.chosen === "found") this.choose(this.report.contents.length ? "contents" : "pages")
  }

  // Mark where the reader is.
  follow(page, hit = this.hit) {
    this.page = page
    this.hit = hit
    const { body } = this.lists[this.chosen]
    for (const row of body.querySelectorAll("[aria-current]")) row.removeAttribute("aria-current")
    const here = this.here(body, page, hit)
    if (!here) return
    here.setAttribute("aria-current", "true")
    if (!this.element.hidden && !isSeen(here, body)) body.scrollTop = here.offsetTop - body.offsetTop - body.clientHeight / 3
  }

  here(body, page, hit) {
    if (this.chosen === "found") return body.children[hit]
    if (this.chosen === "pages") return body.children[page - 1]
    return [...body.querySelectorAll("[data-page]")].filter((row) => Number(row.dataset.page) <= page).pop()
  }

  close() {
    this.watch?.disconnect()
    this.abort?.abort()
  }
}

function isSeen(row, body) {
  const [a, b] = [row.getBoundingClientRect(), body.getBoundingClientRect()]
  return a.top >= b.top && a.bottom <= b.bottom
}
