// All pages of a report, one below the other. Only those near the view are there, each at the level that is sharp.

import { t } from "../words.js"
import { make } from "../dom.js"
import { calm } from "./parts.js"
import { Pictures } from "./pictures.js"
import { Sheet } from "./sheet.js"

const GAP = 12
const EDGE = 12 // pixels around the pages
const LEAST = 0.2 // pixels of the screen for a point
const MOST = 5.4
const STEP = 1.2
const COMFORTABLE = 1.65 // no page begins larger than this, however wide the view is
const AHEAD = 0.6 // of the view's height, below and above it, where pages are made ready
const PAUSE = 90 // milliseconds without a movement; what flies by faster is not loaded
export const ACTUAL = 96 / 72

export class PageList {
  // `on` is told: page(number) in view, zoom(percent). `marksOf(number)` gives the marks of a page.
  constructor(report, on, marksOf) {
    this.report = report
    this.on = on
    this.marksOf = marksOf
    this.pictures = new Pictures()
    this.sheets = new Map()
    this.usualWidth = report.pages.map(([width]) => width).sort((a, b) => a - b)[report.count >> 1]
    this.zoom = 1
    this.isFitted = true
    this.mostFitted = COMFORTABLE
    this.page = 1
    this.lookedAt = 0
    this.wasAt = 0
    this.paper = make("div", { className: "pane-papers" })
    this.element = make(
      "div",
      { className: "pane-view", tabIndex: 0, role: "region", "aria-label": t("pane.pages_of", { name: report.title }) },
      this.paper,
    )
    this.element.addEventListener("scroll", () => this.moved(), { passive: true })
    this.watch = new ResizeObserver(() => this.resized())
    this.watch.observe(this.element)
  }

  // Geometry: where pages are, in pixels of the whole list.

  layOut() {
    this.room = this.element.clientWidth - 2 * EDGE
    this.tops = []
    let [top, widest] = [EDGE, this.room]
    this.report.pages.forEach(([width, height], k) => {
      this.tops.push(top)
      top += height * this.zoomOf(k + 1) + GAP
      widest = Math.max(widest, width * this.zoomOf(k + 1))
    })
    this.width = widest + 2 * EDGE
    this.paper.style.width = `${this.width}px`
    this.paper.style.height = `${top - GAP + EDGE}px`
    for (const [number, sheet] of this.sheets) this.put(number, sheet)
  }

  // Pages are of one zoom; but while they are fitted to the view, a wider one is shown smaller.
  zoomOf(number) {
    const [width] = this.report.pages[number - 1]
    return this.isFitted ? Math.min(this.zoom, Math.max(this.room / width, LEAST)) : this.zoom
  }

  left(number) {
    return Math.max(EDGE, (this.width - this.report.pages[number - 1][0] * this.zoomOf(number)) / 2)
  }

  // Whether the page in view is cut off at its sides.
  get isCut() {
    return this.report.pages[this.page - 1][0] * this.zoomOf(this.page) > this.element.clientWidth
  }

  // How far the middle of some boxes is from a page's left and top, on the screen.
  middleOf(number, boxes) {
    const middle = (begin, end) => (Math.min(...boxes.map((b) => b[begin])) + Math.max(...boxes.map((b) => b[end]))) / 2
    return [middle(0, 2) * this.zoomOf(number), middle(1, 3) * this.zoomOf(number)]
  }

  put(number, sheet) {
    sheet.place(this.left(number), this.tops[number - 1], this.zoomOf(number))
  }

  // The page at a height of the list.
  at(height) {
    let [low, high] = [0, this.tops.length - 1]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if (this.tops[middle] <= height) low = middle
      else high = middle - 1
    }
    return low + 1
  }

  fittingZoom() {
    const room = this.element.clientWidth - 2 * EDGE
    return clamp(Math.min(room / this.usualWidth, this.mostFitted))
  }

  // What is in view.

  moved() {
    if (!this.tops) return
    cancelAnimationFrame(this.frame)
    this.frame = requestAnimationFrame(() => this.update())
    clearTimeout(this.timer)
    this.timer = setTimeout(() => this.load(), PAUSE)
    if (performance.now() - this.lookedAt < 2 * PAUSE) return
    const isSlow = Math.abs(this.element.scrollTop - this.wasAt) < this.element.clientHeight / 2
    this.lookedAt = performance.now()
    this.wasAt = this.element.scrollTop
    if (isSlow) this.load()
  }

  update() {
    const { scrollTop, clientHeight } = this.element
    const first = this.at(scrollTop - AHEAD * clientHeight)
    const last = this.at(scrollTop + (1 + AHEAD) * clientHeight)
    for (const [number, sheet] of this.sheets) {
      if (number < first || number > last) {
        sheet.close()
        this.sheets.delete(number)
      }
    }
    for (let number = first; number <= last; number += 1) {
      if (!this.sheets.has(number)) this.add(number)
    }
    const page = scrollTop === this.arrived ? this.aim : this.at(scrollTop + clientHeight / 2)
    if (page !== this.page || !this.shown) {
      this.page = page
      this.shown = true
      this.tag()
      this.on.page(page)
      this.on.zoom(this.percent)
    }
  }

  add(number) {
    const sheet = new Sheet(this.report, number, this.pictures, (n) => this.urgency(n))
    this.sheets.set(number, sheet)
    this.put(number, sheet)
    sheet.mark(this.marksOf(number))
    const after = [...this.sheets.keys()].filter((n) => n > number).sort((a, b) => a - b)[0]
    this.paper.insertBefore(sheet.element, after ? this.sheets.get(after).element : null)
  }

  // How much a page matters just now: 0 in view, more the farther it is.
  urgency(number) {
    const { scrollTop, clientHeight } = this.element
    const top = this.tops[number - 1]
    const bottom = top + this.report.pages[number - 1][1] * this.zoomOf(number)
    return top < scrollTop + clientHeight && bottom > scrollTop ? 0 : Math.max(1, Math.abs(number - this.page))
  }

  // The picture of the page in view is the one that tests and scripts look for.
  tag() {
    for (const [number, { picture }] of this.sheets) {
      if (number === this.page) picture.dataset.testid = "page-image"
      else delete picture.dataset.testid
    }
  }

  load() {
    const order = [...this.sheets.values()].sort((a, b) => a.urgency() - b.urgency())
    for (const sheet of order) {
      sheet.draw(this.report.level(this.zoomOf(sheet.number) * (window.devicePixelRatio || 1)))
      sheet.read()
    }
  }

  redraw() {
    this.update()
    this.load()
  }

  remark() {
    for (const [number, sheet] of this.sheets) sheet.mark(this.marksOf(number))
  }

  resized() {
    if (!this.element.clientWidth || !this.tops) return
    if (this.isFitted) this.zoomTo(this.fittingZoom(), null, true)
    else {
      this.layOut()
      this.redraw()
    }
  }

  // Going somewhere.

  // Show a page, or some boxes on it in the middle of the view.
  goTo(number, boxes = []) {
    const page = Math.min(Math.max(1, Math.round(number)), this.report.count)
    if (!this.tops) {
      this.page = page
      this.zoom = this.fittingZoom()
      this.layOut()
    }
    const { clientHeight, clientWidth } = this.element
    let top = this.tops[page - 1] - EDGE
    let left = this.left(page) + (this.report.pages[page - 1][0] * this.zoomOf(page) - clientWidth) / 2
    if (boxes.length) {
      const [across, down] = this.middleOf(page, boxes)
      top = this.tops[page - 1] + down - clientHeight / 2
      left = this.left(page) + across - clientWidth / 2
    }
    this.element.scrollTo({ top, left, behavior: "instant" })
    this.aim = page // stays the page in view until somebody scrolls, also where others take more of the view
    this.arrived = this.element.scrollTop
    this.redraw()
  }

  by(views) {
    const top = views * this.element.clientHeight * 0.9
    this.element.scrollBy({ top, behavior: calm() ? "instant" : "smooth" })
  }

  // Zoom, so that a point of a page stays where it is on the screen: the given one, or the middle of the view.

  zoomTo(wanted, point = null, fits = false) {
    if (!this.tops) return
    const view = this.element.getBoundingClientRect()
    const [x, y] = point ? [point.x - view.left, point.y - view.top] : [this.element.clientWidth / 2, this.element.clientHeight / 2]
    const page = this.at(this.element.scrollTop + y)
    const across = (this.element.scrollLeft + x - this.left(page)) / this.zoomOf(page)
    const down = (this.element.scrollTop + y - this.tops[page - 1]) / this.zoomOf(page)
    this.zoom = clamp(wanted)
    this.isFitted = fits
    this.layOut()
    this.element.scrollTo({
      left: this.left(page) + across * this.zoomOf(page) - x,
      top: this.tops[page - 1] + down * this.zoomOf(page) - y,
      behavior: "instant",
    })
    this.on.zoom(this.percent)
    this.update()
    clearTimeout(this.timer)
    this.timer = setTimeout(() => this.load(), PAUSE)
  }

  zoomBy(steps, point = null) {
    this.zoomTo(this.zoomOf(this.page) * STEP ** steps, point)
  }

  fit() {
    this.mostFitted = MOST
    this.zoomTo(this.fittingZoom(), null, true)
  }

  get percent() {
    return Math.round((this.zoomOf(this.page) / ACTUAL) * 100)
  }

  // Where some boxes of a page are on the screen, if they are in view.
  pointOf(number, boxes) {
    if (!boxes.length || !this.tops) return null
    const view = this.element.getBoundingClientRect()
    const [across, down] = this.middleOf(number, boxes)
    const x = view.left + this.left(number) + across - this.element.scrollLeft
    const y = view.top + this.tops[number - 1] + down - this.element.scrollTop
    const isIn = x > view.left && x < view.right && y > view.top && y < view.bottom
    return isIn ? { x, y } : null
  }

  close() {
    this.watch.disconnect()
    clearTimeout(this.timer)
    cancelAnimationFrame(this.frame)
    for (const sheet of this.sheets.values()) sheet.close()
    this.sheets.clear()
  }
}

function clamp(zoom) {
  return Math.min(MOST, Math.max(LEAST, zoom))
}
