// What one report shows in the panel of sources: overview, contents, figures, timeline; each line with its page.

import { make as h } from "../dom.js"
import { numbered } from "../pane/report.js"
import { t } from "../words.js"

export const TABS = ["overview", "contents", "facts", "timeline"]

// `openAt(page, sha1, boxes)` opens a page with marks, of the opened report where no SHA-1 is named.
export const tabBody = (tab, details, openAt) => BODIES[tab](details, openAt)

export const button = (label, onclick, given = {}) => h("button", { type: "button", onclick, ...given }, label)

export function day(iso) {
  const [year, month, date] = iso.split("-").map(Number)
  return new Date(year, month - 1, date).toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" })
}

const pageOf = (line) => numbered(line.page, line.page_printed)

// A link to the page of a line; `sha1` where it is in another report than the opened one.
function place(line, openAt, sha1) {
  const shown = line.last_page > line.page ? t("sources.places", { page: line.page, last: line.last_page }) : t("sources.place", line)
  return button(shown, () => openAt(line.page, sha1), { class: "pp-link pp-page-link", title: t("pane.page", { page: pageOf(line) }), "data-testid": "source-page" })
}

const lines = (all, openAt, sha1) => h("ul", { class: "pp-lines" }, ...all.map((line) => h("li", {}, line.text, " ", place(line, openAt, sha1))))
const titled = (name, all, openAt) => (all.length ? [h("h4", {}, t(name)), lines(all, openAt)] : [])
const nothing = (name) => [h("p", { class: "pp-quiet" }, t(name))]

const BODIES = {
  overview: (details, openAt) => {
    const shown = [
      ...details.about.map((line) => h("p", {}, line.text, " ", place(line, openAt))),
      ...(details.key_figures.length ? [figures(keyFigures(details), openAt)] : []),
      ...titled("sources.people", details.people, openAt),
      ...titled("sources.risks", details.risks, openAt),
    ]
    return shown.length ? shown : nothing("sources.no_overview")
  },
  contents: (details, openAt) => (details.contents.length ? [lines(details.contents, openAt)] : nothing("sources.no_contents")),
  facts: (details, openAt) => (details.figures.length ? [figures(details, openAt)] : nothing("sources.no_facts")),
  timeline: (details, openAt) => {
    const filings = details.timeline.map((filing) =>
      h(
        "li",
        {},
        h("h4", {}, filing.title, filing.is_this ? h("span", { class: "pp-whose" }, ` ${t("sources.this_report")}`) : ""),
        ...(filing.period_end ? [h("p", { class: "pp-note" }, day(filing.period_end))] : []),
        filing.events.length ? lines(filing.events, openAt, filing.sha1) : h("p", { class: "pp-note" }, t("sources.no_events")),
      ),
    )
    return [h("ol", { class: "pp-timeline" }, ...filings)]
  },
}

const KEY_PERIODS = 2

function keyFigures({ periods, figures: all, key_figures: titles }) {
  const shown = all.filter((line) => titles.includes(line.title))
  const whole = periods.filter((period) => /^\d{4}$/.test(period))
  const kept = (whole.length ? whole : periods).slice(0, KEY_PERIODS)
  const at = kept.map((period) => periods.indexOf(period))
  const lines = shown.map((line) => ({ ...line, figures: at.map((place) => line.figures[place]) }))
  return { periods: kept, figures: lines.filter((line) => line.figures.some(Boolean)) }
}

function figures(details, openAt) {
  const cell = (figure) =>
    figure
      ? button(figure.text, () => openAt(figure.page, undefined, figure.boxes), {
          class: figure.is_sure ? "pp-figure" : "pp-figure pp-unsure",
          title: t(figure.is_sure ? "cards.facts.printed" : "cards.facts.unsure", { ...figure, page: pageOf(figure) }),
          "aria-label": `${figure.text}, ${t("sources.place", figure)}`,
        })
      : "–"
  // The panel is narrow: more periods than two stand below the name of their figure, so that none is cut.
  const isStacked = details.periods.length > KEY_PERIODS
  const named = (line, given) => h("th", given, line.title, h("span", { class: "pp-note" }, line.unit === "number" ? "" : ` ${line.unit}`))
  const cells = (line) => line.figures.map((figure) => h("td", { class: "pp-amount" }, cell(figure)))
  const stacked = (line) => h("tbody", {}, h("tr", {}, named(line, { scope: "rowgroup", colSpan: line.figures.length })), h("tr", {}, ...cells(line)))
  const rows = (all) => h("tbody", {}, ...all.map((line) => h("tr", {}, named(line, { scope: "row" }), ...cells(line))))
  const head = details.periods.map((text) => h("th", { scope: "col", class: "pp-amount" }, text))
  if (!isStacked) head.unshift(h("th", { scope: "col" }, h("span", { class: "pp-unseen" }, t("sources.figure"))))
  return h(
    "div",
    { class: "pp-figures", tabindex: "0", role: "group", "aria-label": t("sources.tabs.facts") },
    h("table", { class: `pp-table ${isStacked ? "pp-stacked" : ""}`, "data-testid": "source-figures" }, h("thead", {}, h("tr", {}, ...head)), ...(isStacked ? details.figures.map(stacked) : [rows(details.figures)])),
  )
}
