// An answer as a picture: its value, its sources and its table, drawn on white.

import { headings } from "./exports.js"
import { pageOf } from "./parts.js"

const [WIDTH, EDGE] = [960, 40]
const FONT = '"Inter", system-ui, sans-serif'

export async function pictureOf(card, words) {
  const lines = [...written(card, words)]
  const canvas = document.createElement("canvas")
  const height = EDGE * 2 + lines.reduce((sum, line) => sum + line.size * 1.5, 0)
  Object.assign(canvas, { width: WIDTH * 2, height: height * 2 })
  const context = canvas.getContext("2d")
  context.scale(2, 2)
  context.fillStyle = "#fff"
  context.fillRect(0, 0, WIDTH, height)
  let at = EDGE
  for (const line of lines) {
    at += line.size * 1.5
    context.fillStyle = line.colour ?? "#1b1f2a"
    line.cells.forEach(({ text, x, right }) => {
      context.font = `${line.weight ?? 400} ${line.size}px ${FONT}`
      context.textAlign = right ? "right" : "left"
      context.fillText(text, x, at - line.size * 0.4)
    })
    if (line.rule) {
      context.fillStyle = "#d5d8df"
      context.fillRect(EDGE, at, WIDTH - 2 * EDGE, 1)
    }
  }
  return new Promise((done) => canvas.toBlob(done, "image/png"))
}

function* written(card, words) {
  const plain = (text, looks) => wrapped(text, looks.size).map((piece) => ({ ...looks, cells: [{ text: piece, x: EDGE }] }))
  yield* plain(card.question, { size: 16, colour: "#5b6272" })
  for (const value of card.values) yield* plain(value, { size: card.prose ? 20 : 30, weight: 600 })
  yield* plain([card.company, card.period, card.printed].filter(Boolean).join(" · "), { size: 16, colour: "#5b6272" })
  if (card.table) yield* tableLines(card.table, words)
  else for (const link of card.citations) yield* plain(`${link.title}, ${pageOf(link, words)}: “${link.quote}”`, { size: 15 })
  yield* plain("Pageproof", { size: 13, colour: "#5b6272" })
}

function* tableLines(table, words) {
  const [head, ...rows] = [headings(table, words), ...table.rows.map((row) => [...row.names, ...(table.rows.some((r) => r.unit) ? [row.unit] : []), ...row.cells.map((cell) => cell.shown)])]
  const figures = head.length - table.columns.length
  const width = (WIDTH - 2 * EDGE) / head.length
  const cells = (texts) => texts.map((text, n) => ({ text: cut(text, width, 15), x: EDGE + width * (n < figures ? n : n + 1), right: n >= figures }))
  yield { size: 15, weight: 600, colour: "#5b6272", cells: cells(head), rule: true }
  for (const row of rows) yield { size: 15, cells: cells(row), rule: true }
}

const perLetter = 0.54 // of the letters' height, about

const cut = (text, width, size) => (text.length * size * perLetter < width - 8 ? text : `${text.slice(0, Math.max(Math.floor((width - 8) / size / perLetter) - 1, 3))}…`)

function wrapped(text, size) {
  const room = Math.floor((WIDTH - 2 * EDGE) / size / perLetter)
  const lines = []
  for (const word of text.split(/\s+/).filter(Boolean)) {
    if (lines.length && `${lines.at(-1)} ${word}`.length <= room) lines[lines.length - 1] += ` ${word}`
    else lines.push(word)
  }
  return lines
}
