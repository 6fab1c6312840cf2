// Figures as lines over the periods, or as bars; figures of different units are drawn apart.

import { drawn, make } from "../dom.js"

const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP] = [640, 190, 64, 26, 12]
const COLOURS = 6 // of custom.css, --pp-line-1 and on

export function chartOf(table, rows, words) {
  const drawings = table.are_periods ? byUnit(rows, (row) => row.unit || table.unit).map(([unit, some]) => lines(table, some, unit)) : bars(table, rows)
  const found = drawings.filter(Boolean)
  return found.length ? found : [make("p", { className: "pp-note" }, words.nothing_to_draw)]
}

function byUnit(rows, unitOf) {
  const groups = new Map()
  for (const row of rows) groups.set(unitOf(row), [...(groups.get(unitOf(row)) ?? []), row])
  return [...groups]
}

const nameOf = (row) => row.names.join(", ")

function lines(table, rows, unit) {
  const known = rows.flatMap((row) => row.cells.map((cell) => cell.value)).filter((value) => value !== null)
  if (!known.length) return null
  const marks = ticks(Math.min(0, ...known), Math.max(0, ...known))
  const [low, high] = [marks[0], marks.at(-1)]
  const at = (n) => LEFT + ((WIDTH - LEFT - 24) * (n + 0.5)) / table.columns.length
  const up = (value) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - (value - low) / (high - low || 1))
  const picture = drawn("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "data-testid": "line-chart", "aria-label": spoken(table, rows, unit) })
  for (const value of marks) {
    picture.append(drawn("line", { x1: LEFT, x2: WIDTH - 12, y1: up(value), y2: up(value), class: "pp-axis" }), drawn("text", { x: LEFT - 6, y: up(value) + 4, "text-anchor": "end" }, short(value)))
  }
  table.columns.forEach((column, n) => picture.append(drawn("text", { x: at(n), y: HEIGHT - 6, "text-anchor": "middle" }, column)))
  rows.forEach((row, k) => {
    const colour = `var(--pp-line-${(k % COLOURS) + 1})`
    const points = row.cells.map((cell, n) => (cell.value === null ? null : [at(n), up(cell.value)]))
    let path = ""
    points.forEach((point, n) => point && (path += `${n && points[n - 1] ? "L" : "M"}${point[0]} ${point[1]}`))
    picture.append(drawn("path", { d: path, fill: "none", stroke: colour, "stroke-width": 2, "stroke-dasharray": k < COLOURS ? "" : "5 4" }))
    points.forEach((point, n) => point && picture.append(drawn("circle", { cx: point[0], cy: point[1], r: 3.5, fill: colour }, drawn("title", {}, `${nameOf(row)}, ${table.columns[n]}: ${row.cells[n].shown}`))))
  })
  const legend = make("div", { className: "pp-legend" }, ...rows.map((row, k) => make("span", {}, swatch(k), nameOf(row))))
  return make("figure", { className: "pp-drawing" }, make("figcaption", { className: "pp-note" }, unit), picture, legend)
}

function swatch(k) {
  const mark = make("i", { className: "pp-swatch" })
  mark.style.background = `var(--pp-line-${(k % COLOURS) + 1})`
  return mark
}

function bars(table, rows) {
  return table.columns.map((column, n) => {
    const figures = rows.filter((row) => row.cells[n].value !== null)
    const units = new Set(figures.map((row) => table.unit || table.units[n] || row.unit || row.cells[n].shown.replace(/[-\d.,()\s]/g, "")))
    if (figures.length < 2 || units.size > 1) return null
    const most = Math.max(...figures.map((row) => Math.abs(row.cells[n].value))) || 1
    const drawings = figures.map((row) => {
      const bar = make("span", { className: `pp-bar pp-bar-leads ${row.cells[n].value < 0 ? "pp-bar-negative" : ""}` })
      bar.style.width = `${Math.max((Math.abs(row.cells[n].value) / most) * 100, 0.5)}%`
      return make("div", { className: "pp-bar-line" }, make("span", { className: "pp-bar-label" }, nameOf(row)), make("span", { className: "pp-bar-track" }, bar))
    })
    const caption = make("figcaption", { className: "pp-note" }, `${column} ${[...units][0] ?? ""}`)
    return make("figure", { className: "pp-drawing" }, caption, make("div", { className: "pp-bars", role: "img", "aria-label": figures.map((row) => `${nameOf(row)}: ${row.cells[n].shown}`).join("; ") }, ...drawings))
  })
}

// Round numbers from at or below the lowest to at or above the highest, with zero among them.
function ticks(low, high) {
  const rough = (high - low || 1) / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = power * [1, 2, 5, 10].find((round) => round * power >= rough)
  const [first, last] = [Math.floor(low / step), Math.ceil(high / step)]
  return Array.from({ length: last - first + 1 }, (_, n) => (first + n) * step)
}

const spoken = (table, rows, unit) => rows.map((row) => `${nameOf(row)}: ${row.cells.map((cell, n) => `${table.columns[n]} ${cell.shown}`).join(", ")}`).join("; ") + (unit ? ` (${unit})` : "")

const short = (value) => new Intl.NumberFormat(document.documentElement.lang || "en", { notation: "compact", maximumFractionDigits: 1 }).format(value)
