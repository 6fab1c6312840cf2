// An answer as a picture: its value, its chart, its table and its sources, drawn on white.

import { Scale } from "./amounts.js"
import { chartOf } from "./chart.js"
import { headings } from "./exports.js"
import { pageOf, placesOf } from "./parts.js"

const [WIDTH, EDGE, GAP] = [960, 40, 24]
const FONT = '"Inter", system-ui, sans-serif'
const [INK, GREY, RULE] = ["#1b1f2a", "#5b6272", "#d5d8df"]
const DRAWING = `--pp-line-1: #2456c8; --pp-line-2: #b4560c; --pp-line-3: #237a4b; --pp-line-4: #8a3ea8; --pp-line-5: #a32c3b; --pp-line-6: #4d6272`
const DRAWING_RULES = `text { fill: ${GREY}; font: 12px sans-serif } .pp-axis { stroke: ${RULE} }`

export async function pictureOf(card, words) {
  const canvas = document.createElement("canvas")
  const context = canvas.getContext("2d")
  const lines = [...written(card, words, (text, size, weight = 400) => widthOf(context, text, size, weight))]
  for (const line of lines) line.image = line.drawing && (await imageOf(line.drawing))
  const height = EDGE * 2 + lines.reduce((sum, line) => sum + heightOf(line), 0)
  Object.assign(canvas, { width: WIDTH * 2, height: height * 2 })
  context.scale(2, 2)
  context.fillStyle = "#fff"
  context.fillRect(0, 0, WIDTH, height)
  let at = EDGE
  for (const line of lines) {
    if (line.image) context.drawImage(line.image, EDGE, at, line.image.width, line.image.height)
    at += heightOf(line)
    for (const { text, x, right, colour } of line.cells ?? []) {
      context.font = `${line.weight ?? 400} ${line.size}px ${FONT}`
      context.textAlign = right ? "right" : "left"
      context.fillStyle = colour ?? line.colour ?? INK
      context.fillText(text, x, at - line.size * 0.4)
    }
    for (const { x, width, colour } of line.bars ?? []) {
      context.fillStyle = colour
      context.fillRect(x, at - line.size * 1.2, width, line.size * 0.9)
    }
    if (line.rule) {
      context.fillStyle = RULE
      context.fillRect(EDGE, at, WIDTH - 2 * EDGE, 1)
    }
  }
  return new Promise((done) => canvas.toBlob(done, "image/png"))
}

const heightOf = (line) => (line.image ? line.image.height : line.size * 1.5)

function widthOf(context, text, size, weight) {
  context.font = `${weight} ${size}px ${FONT}`
  return context.measureText(text).width
}

function* written(card, words, width) {
  const all = WIDTH - 2 * EDGE
  const plain = (text, looks, x = EDGE) => wrapped(text, all, looks, width).map((piece) => ({ ...looks, cells: [{ text: piece, x }] }))
  yield* plain(card.question, { size: 16, colour: GREY })
  for (const value of card.values) yield* plain(value, { size: card.prose || card.values.length > 1 ? 20 : 30, weight: 600 })
  yield* plain([card.company, card.period, card.printed].filter(Boolean).join(" · "), { size: 16, colour: GREY })
  for (const bar of card.bars?.bars ?? []) yield barLine(bar)
  if (card.table?.are_periods) {
    for (const chart of chartOf(card.table, card.table.rows, words)) if (chart.querySelector("svg")) yield* chartLines(chart)
  }
  if (card.table) yield* tableLines(card.table, words, width)
  yield* sources(card, words).flatMap((text) => plain(text, { size: 13, colour: GREY }))
  yield* plain("Pageproof", { size: 13, colour: GREY })
}

// What the figures rest on: sentences with their page, and of a table the pages of each report.
function sources(card, words) {
  if (!card.table) return card.citations.map((link) => `${link.title}, ${pageOf(link, words)}: “${link.quote}”`)
  const pages = new Map()
  for (const place of card.table.rows.flatMap((row) => row.cells.flatMap(placesOf))) {
    const title = place.title || words.sources
    pages.set(title, (pages.get(title) ?? new Set()).add(pageOf(place, words, words.page_short)))
  }
  return [...pages].map(([title, own]) => `${title}: ${[...own].join(", ")}`)
}

function barLine({ label, value, share, leads, negative }) {
  const [from, room] = [EDGE + 300, WIDTH - 2 * EDGE - 300 - 170]
  const colour = negative ? "#c65b52" : leads ? "#2456c8" : "#9fb2d8"
  return { size: 15, cells: [{ text: label, x: EDGE }, { text: value, x: WIDTH - EDGE, right: true }], bars: [{ x: from, width: Math.max(share * room, 2), colour }] }
}

const COLOURS = DRAWING.match(/#\w+/g)

// A chart as it is on the page: its unit, its drawing, and whose each line is.
function* chartLines(chart) {
  yield { size: 13, cells: [{ text: chart.querySelector("figcaption").textContent, x: EDGE, colour: GREY }] }
  yield { drawing: chart.querySelector("svg") }
  for (const [k, named] of [...chart.querySelectorAll(".pp-legend > span")].entries()) yield { size: 13, cells: [{ text: `● ${named.textContent}`, x: EDGE, colour: COLOURS[k % COLOURS.length] }] }
}

// A drawing of the page, with the colours that it has there on white.
async function imageOf(svg) {
  const own = svg.cloneNode(true)
  const [, , width, height] = own.getAttribute("viewBox").split(" ").map(Number)
  Object.entries({ xmlns: "http://www.w3.org/2000/svg", width: WIDTH - 2 * EDGE, height: ((WIDTH - 2 * EDGE) * height) / width, style: DRAWING }).forEach(([name, value]) => own.setAttribute(name, value))
  own.insertAdjacentHTML("afterbegin", `<style>${DRAWING_RULES}</style>`)
  const image = new Image()
  image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(own))}`
  await image.decode()
  return image
}

// Figures have the width that they need; names share the rest, and go on in the next line where it is too little.
function* tableLines(table, words, width) {
  const size = 15
  const scale = Scale.of(table)
  const shown = scale.shownTable(words)
  const units = table.rows.some((row) => row.unit)
  const rows = shown.rows.map((row) => [...row.names, ...(units ? [row.unit] : []), ...row.cells.map((cell) => cell.shown)])
  const head = headings(shown, words)
  const figures = head.length - table.columns.length
  const own = head.map((name, n) => (n < figures ? 0 : Math.max(...[name, ...rows.map((row) => row[n])].map((text) => width(text, size, 600))) + GAP))
  const room = (WIDTH - 2 * EDGE - own.reduce((sum, each) => sum + each, 0)) / figures
  const ends = own.map((_, n) => EDGE + figures * Math.max(room, 90) + own.slice(figures, n + 1).reduce((sum, each) => sum + each, 0))
  for (const [k, texts] of [head, ...rows].entries()) {
    const looks = k ? { size } : { size, weight: 600, colour: GREY }
    const pieces = texts.map((text, n) => (n < figures ? wrapped(text, Math.max(room, 90) - GAP, looks, width) : [text]))
    const most = Math.max(1, ...pieces.map((each) => each.length))
    for (let at = 0; at < most; at++) {
      const cells = pieces.map((each, n) => ({ text: each[at] ?? "", x: n < figures ? EDGE + Math.max(room, 90) * n : ends[n], right: n >= figures }))
      yield { ...looks, cells, rule: at === most - 1 }
    }
  }
}

function wrapped(text, room, { size, weight }, width) {
  const lines = []
  for (const word of text.split(/\s+/).filter(Boolean)) {
    if (lines.length && width(`${lines.at(-1)} ${word}`, size, weight) <= room) lines[lines.length - 1] += ` ${word}`
    else lines.push(word)
  }
  return lines
}
