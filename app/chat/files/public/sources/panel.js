// The panel of sources: the library, which of its reports the conversation is about, and one report opened.

import { icon, make as h } from "../dom.js"
import { counted, t } from "../words.js"
import { choosePdfs, request, sleep, state, whenChanged } from "./page.js"
import { button, day, TABS, tabBody } from "./report_tabs.js"

const SMALL = matchMedia("(max-width: 767px)")
const FILTERS = ["all", "yours", "reading", "chosen"]
let panel = null
let opened = null // the report that is shown in the place of the list
let words = ""
let filter = "all"
let listed = null
let before = null // what had the keyboard before the panel opened
let turn = 0 // of requests: a late reply to an earlier one is thrown away

export const isOpen = () => panel !== null

export function toggle() {
  if (panel) close()
  else open()
}

// The list of conversations makes room: then its buttons stand in the header.
const CONVERSATIONS = '.peer[data-side="left"][data-state="expanded"]'
const conversationsButton = () => document.querySelector("#sidebar-trigger-button")
let madeRoom = false

function makeRoom() {
  madeRoom = !SMALL.matches && document.querySelector(CONVERSATIONS) !== null
  if (madeRoom) conversationsButton()?.click()
}

function giveBack() {
  if (madeRoom && !document.querySelector(CONVERSATIONS)) conversationsButton()?.click()
  madeRoom = false
}

// Also where nothing has the keyboard: what had it may have been drawn anew.
document.addEventListener("keydown", (event) => {
  const at = document.activeElement
  if (panel && event.key === "Escape" && (at === document.body || panel.contains(at))) close()
})

document.addEventListener(
  "click",
  (event) => {
    if (!panel || !event.isTrusted || !event.target.closest?.("#sidebar-trigger-button")) return
    madeRoom = false // who opens the conversations has them in the place of the sources
    close()
  },
  true,
)

function open() {
  before = document.activeElement
  makeRoom()
  panel = h("aside", { id: "pp-sources", class: "pp-sources", "aria-label": t("sources.title"), tabindex: "-1" })
  panel.addEventListener("keydown", (event) => {
    if (event.key === "Tab" && SMALL.matches) keepInside(event)
  })
  document.body.append(h("div", { class: "pp-veil", onclick: close }), panel)
  document.body.classList.add("pp-sources-open")
  drawFrame()
  panel.focus({ preventScroll: true })
  load().then(watch)
  redrawButton()
}

export function close() {
  if (!panel) return
  panel.remove()
  document.querySelector(".pp-veil")?.remove()
  document.body.classList.remove("pp-sources-open")
  panel = null
  opened = null
  giveBack()
  redrawButton()
  if (before?.isConnected) before.focus({ preventScroll: true })
}

function redrawButton() {
  document.querySelector("#pp-sources-button")?.setAttribute("aria-expanded", String(isOpen()))
}

// On a phone the drawer covers the chat, so the keyboard stays in it.
function keepInside(event) {
  const stops = [...panel.querySelectorAll("button, input, a[href]")].filter((e) => !e.disabled && e.offsetParent)
  const [first, last] = [stops[0], stops.at(-1)]
  if (event.shiftKey && document.activeElement === first) last.focus()
  else if (!event.shiftKey && document.activeElement === last) first.focus()
  else return
  event.preventDefault()
}

// What is read moves on while the panel is looked at.
async function watch() {
  const mine = panel
  for (let beat = 1; panel === mine && panel; beat += 1) {
    await sleep(2000)
    const isMoving = listed?.reading > 0 || beat % 5 === 0
    if (panel === mine && !opened && isMoving && !document.hidden) await load()
  }
}

async function load() {
  const mine = (turn += 1)
  try {
    const found = await request("GET", "/sources", { words, shown: filter })
    if (mine !== turn || !panel) return
    listed = found
    if (!opened) drawList()
  } catch (error) {
    if (mine === turn && panel) say(error.message)
  }
}

// The library may have changed: a report was sent, put right or removed.
export function refresh() {
  if (panel) load()
}

function say(trouble) {
  panel.querySelector(".pp-sources-said").textContent = trouble ? t("sources.failed", { why: trouble }) : ""
}

function drawFrame() {
  panel.replaceChildren(
    h(
      "header",
      { class: "pp-sources-head" },
      h("h2", { class: "pp-title" }, t("sources.title")),
      h("span", { class: "pp-quiet pp-sources-counts" }),
      button(icon("close"), close, { class: "pp-icon-button", "aria-label": t("sources.close") }),
    ),
    h("div", { class: "pp-sources-tools" }),
    h("p", { class: "pp-warning pp-sources-said", role: "alert" }),
    h("div", { class: "pp-sources-body", "aria-live": "off" }, h("p", { class: "pp-quiet" }, t("sources.loading"))),
    h("footer", { class: "pp-sources-foot" }),
  )
  drawTools()
}

function drawTools() {
  const search = h("input", {
    type: "search",
    class: "pp-sources-search",
    placeholder: t("sources.search"),
    "aria-label": t("sources.search"),
    oninput: (event) => {
      words = event.target.value
      setTimeout(() => words === event.target.value && load(), 150)
    },
  })
  search.value = words
  const choices = FILTERS.filter((name) => name !== "yours" || listed?.is_personal).map((name) =>
    button(t(`sources.${name}`), () => {
      filter = name
      drawTools()
      load()
    }, { class: "pp-segment", "aria-pressed": String(filter === name) }),
  )
  const add = state.uploads
    ? button([icon("plus"), t("sources.add")], () => choosePdfs(), {
        class: "pp-offer pp-add",
        "data-testid": "add-pdfs",
      })
    : null
  const home = panel.querySelector(".pp-sources-tools")
  const hadKeyboard = document.activeElement?.classList.contains("pp-sources-search")
  home.replaceChildren(
    search,
    h("div", { class: "pp-segments", role: "group", "aria-label": t("sources.show") }, ...choices),
    ...(add ? [add] : []),
  )
  home.hidden = false
  if (hadKeyboard) search.focus()
}

// The list

function drawList() {
  const isFirst = panel.querySelector(".pp-segment") === null || listed.is_personal !== drawList.isPersonal
  drawList.isPersonal = listed.is_personal
  if (isFirst) drawTools()
  say("")
  panel.querySelector(".pp-sources-counts").textContent = t("sources.counts", {
    companies: counted("sources.company", listed.companies),
    reports: counted("sources.report", listed.reports),
  })
  const body = panel.querySelector(".pp-sources-body")
  const at = [body.scrollTop, document.activeElement?.dataset?.key]
  body.replaceChildren(...companies())
  body.scrollTop = at[0]
  if (at[1]) body.querySelector(`[data-key="${CSS.escape(at[1])}"]`)?.focus({ preventScroll: true })
  drawFoot()
}

function companies() {
  if (!listed.sources.length) {
    const isEmpty = listed.reports === 0 && !words && filter === "all"
    const empty = listed.takes_uploads ? "sources.empty" : "sources.empty_locked"
    const why = filter === "all" || words ? "sources.none" : `sources.none_${filter}`
    return [h("p", { class: "pp-quiet" }, t(isEmpty ? empty : why))]
  }
  const groups = new Map()
  for (const source of listed.sources) {
    const name = source.company || t("sources.on_the_way")
    groups.set(name, [...(groups.get(name) || []), source])
  }
  const drawn = [...groups].map(([name, sources]) => company(name, sources))
  if (listed.more) drawn.push(h("p", { class: "pp-quiet" }, t("sources.more", { n: listed.more.toLocaleString("en-US") })))
  return drawn
}

const isChosen = (sha1) => state.about.some((chosen) => chosen.sha1 === sha1)
const canBeAsked = (source) => source.company !== ""

function company(name, sources) {
  const all = sources.filter(canBeAsked).map((source) => source.sha1)
  const chosen = all.filter(isChosen)
  const head = all.length
    ? tick(`company ${name}`, t("sources.choose", { name }), chosen.length === all.length, chosen.length > 0, (on) =>
        choose(on ? [...others(all), ...all] : others(all)),
      )
    : null
  return h(
    "section",
    { class: "pp-source-company" },
    h("h3", { class: "pp-source-name" }, h("label", {}, ...(head ? [head] : []), h("span", {}, name))),
    h("ul", {}, ...sources.map(report)),
  )
}

const others = (leaving) => state.about.map((chosen) => chosen.sha1).filter((sha1) => !leaving.includes(sha1))

function tick(key, label, checked, some, onchange) {
  const box = h("input", {
    type: "checkbox",
    "data-key": key,
    "aria-label": label,
    onchange: (event) => onchange(event.target.checked),
  })
  box.checked = checked
  box.indeterminate = some && !checked
  return box
}

function report(source) {
  const box = canBeAsked(source)
    ? tick(source.sha1, t("sources.choose", { name: source.label }), isChosen(source.sha1), false, (on) =>
        choose(on ? [...others([source.sha1]), source.sha1] : others([source.sha1])),
      )
    : h("span", { class: "pp-no-tick" })
  const about = [counted("sources.page", source.pages), source.period_end && day(source.period_end), source.currency]
  const title = canBeAsked(source)
    ? button(source.title, () => show(source), { class: "pp-source-title", title: source.file, "data-key": `open ${source.sha1}` })
    : h("span", { class: "pp-source-title" }, source.title)
  return h(
    "li",
    { class: "pp-source", "data-testid": "source" },
    box,
    h(
      "div",
      { class: "pp-source-text" },
      title,
      h("span", { class: "pp-note" }, about.filter(Boolean).join(" · "), whose(source)),
      ...(source.stage === "complete" ? [] : [progress(source)]),
      ...(source.is_handed_over ? [h("span", { class: "pp-source-stage" }, t("sources.handed_over_short"))] : []),
      ...(source.note ? [h("span", { class: "pp-note" }, source.note)] : []),
      ...(!canBeAsked(source) ? [ways(source)] : []),
    ),
  )
}

const whose = (source) => (source.whose ? ` · ${t(`sources.whose.${source.whose}`)}` : "")

function progress(source) {
  const isCounted = source.stage === "reading" && source.of > 0
  const stage = source.stage === "reading" && !isCounted ? "preparing" : source.stage
  const said = t(`sources.stage.${stage}`, { done: Math.min(source.done + 1, source.of), of: source.of })
  const bar = isCounted
    ? h("span", { class: "pp-progress" }, h("span", { style: `width: ${(100 * source.done) / source.of}%` }))
    : null
  const tone = ["failed", "interrupted"].includes(source.stage) ? " pp-stage-failed" : ""
  return h("span", { class: `pp-source-stage${tone}`, "data-testid": "source-stage" }, said, bar)
}

function ways(source) {
  const ask = async (what) => {
    try {
      await request("POST", `/sources/${source.sha1}`, { what })
      await load()
    } catch (error) {
      say(error.message)
    }
  }
  return h(
    "span",
    { class: "pp-row" },
    ...(source.can_retry ? [button(t("sources.retry"), () => ask("retry"), { class: "pp-link" })] : []),
    ...(source.can_change
      ? [button(t("sources.remove"), () => remove(source), { class: "pp-link" })]
      : [button(t("sources.stop"), () => ask("stop"), { class: "pp-link" })]),
  )
}

function drawFoot() {
  const foot = panel.querySelector(".pp-sources-foot")
  const count = state.about.length
  const hint = count ? t("sources.hint_chosen", { reports: counted("sources.report", count) }) : t("sources.hint")
  foot.replaceChildren(
    h("p", { class: "pp-note" }, listed?.reports ? hint : ""),
    ...(count ? [button(t("sources.whole"), () => choose([]), { class: "pp-offer", "data-testid": "whole-library" })] : []),
  )
}

export async function choose(reports) {
  try {
    const told = await request("PUT", "/sources/about", { reports })
    window.postMessage({ pageproof: told }, location.origin)
  } catch (error) {
    if (panel) say(error.message)
  }
}

// One report

// A report's figures, whatever the panel showed before.
export async function showFacts(sha1) {
  if (!panel) open()
  try {
    const details = await request("GET", `/sources/${sha1}`, {})
    if (!panel) return
    opened = listed?.sources.find((source) => source.sha1 === sha1) ?? details
    say("")
    drawReport(details, "facts")
  } catch (error) {
    if (panel) say(error.message)
  }
}

async function show(source) {
  opened = source
  say("")
  drawReport(null, "overview")
  try {
    const details = await request("GET", `/sources/${source.sha1}`, {})
    if (opened === source) drawReport(details, shownTab) // which may have been changed while it was loaded
  } catch (error) {
    if (opened === source) say(error.message)
  }
}

function back() {
  const was = opened
  opened = null
  drawTools()
  drawList()
  load()
  panel.querySelector(`[data-key="open ${was.sha1}"]`)?.focus({ preventScroll: true })
}

let shownTab = "overview"

function drawReport(details, tab, focus = false) {
  const source = opened
  const at = document.activeElement?.id || ""
  shownTab = tab
  panel.querySelector(".pp-sources-tools").hidden = true
  const name = source.company
  const chosen = isChosen(source.sha1)
  const body = panel.querySelector(".pp-sources-body")
  body.replaceChildren(
    button([icon("back"), t("sources.back")], back, { class: "pp-link pp-back", "data-testid": "sources-back" }),
    h("h3", { class: "pp-source-head" }, name),
    h("p", { class: "pp-note" }, [source.title, counted("sources.page", source.pages), source.file].join(" · ")),
    h(
      "div",
      { class: "pp-row" },
      button(t("sources.read"), () => openAt(1), { class: "pp-offer", "data-testid": "open-report" }),
      button(t(chosen ? "sources.asking" : "sources.ask"), () => choose([source.sha1]), {
        class: "pp-offer",
        disabled: chosen && state.about.length === 1,
        "data-testid": "ask-about",
      }),
      ...(source.can_change
        ? [
            button(t("sources.correct"), () => body.querySelector(".pp-source-edit").replaceChildren(form()), { class: "pp-link" }),
            button(t("sources.remove"), () => remove(source), { class: "pp-link pp-danger-link" }),
          ]
        : []),
      ...(source.can_hand_over ? [button(t("sources.hand_over"), () => handOver(source), { class: "pp-link", "data-testid": "hand-over" })] : []),
    ),
    ...(source.is_handed_over ? [h("p", { class: "pp-note" }, t("sources.handed_over"))] : []),
    h("div", { class: "pp-source-edit" }),
    h(
      "div",
      { class: "pp-tabs", role: "tablist" },
      ...TABS.map((each) =>
        button(t(`sources.tabs.${each}`), () => drawReport(details, each, true), {
          role: "tab",
          id: `pp-tab-${each}`,
          "aria-selected": String(each === tab),
          "aria-controls": "pp-tab-body",
          tabindex: each === tab ? "0" : "-1",
          onkeydown: (event) => {
            const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
            if (step) drawReport(details, TABS[(TABS.indexOf(each) + step + TABS.length) % TABS.length], true)
          },
        }),
      ),
    ),
    h(
      "div",
      { class: "pp-tab-body", id: "pp-tab-body", role: "tabpanel", "aria-labelledby": `pp-tab-${tab}` },
      ...(details ? tabBody(tab, details, openAt) : [h("p", { class: "pp-quiet" }, t("sources.loading"))]),
    ),
  )
  panel.querySelector(".pp-sources-foot").replaceChildren()
  if (focus || at.startsWith("pp-tab-")) body.querySelector(`#pp-tab-${tab}`).focus()
  else body.querySelector(".pp-back").focus({ preventScroll: true })
}

function openAt(page, sha1 = opened.sha1, boxes = []) {
  const title = opened ? opened.label : ""
  if (SMALL.matches) close()
  window.pageproof.openPage({ sha1, page, title, boxes, marks: [], index: 0 })
}

function form() {
  const source = opened
  const field = (name, value, type = "text") => {
    const input = h("input", { type, name })
    input.value = value
    return h("label", {}, t(`sources.${name}`), input)
  }
  const made = h(
    "form",
    { class: "pp-form" },
    field("name", source.company),
    field("currency", source.currency),
    field("period_end", source.period_end, "date"),
    h(
      "div",
      { class: "pp-row" },
      h("button", { type: "submit", class: "pp-offer" }, t("sources.save")),
      button(t("sources.cancel"), () => made.remove(), { class: "pp-link" }),
    ),
  )
  made.addEventListener("submit", async (event) => {
    event.preventDefault()
    const given = Object.fromEntries(new FormData(made))
    try {
      await request("PUT", `/sources/${source.sha1}`, { company: given.name, currency: given.currency, period_end: given.period_end })
      if (opened === source) back()
    } catch (error) {
      say(error.message)
    }
  })
  return made
}

// Asks once more before `act`, which ends with the list.
function confirm(question, yes, act, looks = "pp-offer") {
  const home = opened ? panel.querySelector(".pp-source-edit") : panel.querySelector(".pp-sources-foot")
  const agreed = async () => {
    try {
      await act()
      if (opened) back()
      else load()
    } catch (error) {
      say(error.message)
    }
  }
  home.replaceChildren(
    h(
      "div",
      { class: "pp-confirm", role: "group" },
      h("span", {}, question),
      button(yes, agreed, { class: looks, "data-testid": "confirm" }),
      button(t("sources.cancel"), () => (opened ? home.replaceChildren() : drawFoot()), { class: "pp-link" }),
    ),
  )
  home.querySelector("button").focus()
}

function remove(source) {
  const act = async () => {
    await request("DELETE", `/sources/${source.sha1}`, {})
    await choose(others([source.sha1]))
  }
  confirm(t("sources.remove_sure", { name: source.file }), t("sources.remove_yes"), act, "pp-offer pp-danger")
}

function handOver(source) {
  const act = () => request("POST", `/sources/${source.sha1}`, { what: "hand_over" })
  confirm(t("sources.hand_over_sure", { name: source.file }), t("sources.hand_over_yes"), act)
}

whenChanged(() => {
  if (!panel) return
  if (opened) {
    const ask = panel.querySelector("[data-testid=ask-about]")
    const chosen = isChosen(opened.sha1)
    if (ask) {
      ask.textContent = t(chosen ? "sources.asking" : "sources.ask")
      ask.disabled = chosen && state.about.length === 1
    }
  } else if (listed) drawList()
})
