// What the pane fetches of a report: what it is, its words, its pictures.

import { t } from "../words.js"

const BOX = /^\d{1,5}(\.\d+)?(,\d{1,5}(\.\d+)?){3}$/

// A failure with words for the reader; `status` is the server's, 0 where it was not reached.
export class Failure extends Error {
  constructor(message, status = 0) {
    super(message)
    this.status = status
  }
}

export class Report {
  constructor(sha1, about) {
    this.sha1 = sha1
    this.title = about.title
    this.file = about.file
    this.pages = about.pages
    this.printed = about.printed ?? []
    this.levels = about.levels
    this.contents = about.contents
    this.texts = new Map()
  }

  static async open(sha1, signal) {
    return new Report(sha1, await fetchJson(`/report/${sha1}/about`, signal))
  }

  get count() {
    return this.pages.length
  }

  // A page's number in words, with the one that it prints: "35 (printed 29)".
  numbered(page) {
    return numbered(page, this.printed[page - 1])
  }

  // The smallest level that is sharp with so many pixels for a point.
  level(pixels) {
    return this.levels.find((level) => level >= pixels * 0.95) ?? this.levels[this.levels.length - 1]
  }

  picture(page, level) {
    return `/report/${this.sha1}/${page}.png?scale=${level}`
  }

  get pdf() {
    return `/report/${this.sha1}.pdf`
  }

  view(page, boxes = []) {
    const marks = boxes.length ? `&boxes=${boxes.map((box) => box.join(",")).join(";")}` : ""
    return `/report/${this.sha1}/view?page=${page}${marks}`
  }

  // The words of a page; a failure leaves the page without, and is tried again the next time.
  text(page) {
    if (!this.texts.has(page)) {
      if (this.texts.size > 60) this.texts.clear()
      const text = fetchJson(`/report/${this.sha1}/${page}/text`)
      text.catch(() => this.texts.delete(page))
      this.texts.set(page, text)
    }
    return this.texts.get(page)
  }

  find(words, signal) {
    return fetchJson(`/report/${this.sha1}/find?words=${encodeURIComponent(words)}`, signal)
  }
}

export const numbered = (page, printed) => (printed ? t("pane.number_printed", { page, printed }) : String(page))

// Places to mark: [left, top, right, bottom] in points, from a list or from an address.
export function boxesOf(given) {
  if (Array.isArray(given)) {
    return given.map((box) => (Array.isArray(box) ? box : [box.left, box.top, box.right, box.bottom]).map(Number))
  }
  const text = String(given ?? "").replace(/^\?boxes=/, "")
  return text.split(";").filter((piece) => BOX.test(piece)).map((piece) => piece.split(",").map(Number))
}

// The place that an address leads to, or null where it leads to no page of a report.
export function placeOf(address) {
  const url = new URL(address, location.href)
  if (url.origin !== location.origin) return null
  const found = /^\/report\/([0-9a-f]{40})(\.pdf|\/view)$/.exec(url.pathname)
  if (!found) return null
  const given = found[2] === ".pdf" ? new URLSearchParams(url.hash.slice(1)) : url.searchParams
  const page = Number.parseInt(given.get("page") ?? "", 10)
  if (!(page > 0)) return null
  return { sha1: found[1], page, boxes: boxesOf(given.get("boxes")), quote: given.get("quote") ?? "" }
}

export async function fetchJson(address, signal) {
  return (await fetchWhole(address, signal)).json()
}

export async function fetchWhole(address, signal) {
  let response
  try {
    response = await fetch(address, { signal, credentials: "same-origin" })
  } catch (error) {
    if (error.name === "AbortError") throw error
    throw new Failure(t("pane.no_server"))
  }
  if (response.ok) return response
  throw new Failure(await reason(response), response.status)
}

async function reason(response) {
  if (response.status === 401) return t("pane.signed_out")
  if (response.status === 404) return t("pane.gone")
  if (response.status === 503) return t("pane.busy")
  try {
    const { detail } = await response.json()
    if (typeof detail === "string") return `${detail.charAt(0).toUpperCase()}${detail.slice(1)}.`
  } catch {
    // the server said nothing that can be read
  }
  return t("pane.failed")
}
