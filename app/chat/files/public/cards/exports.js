// A table as files and texts: exactly the rows and columns that are shown, in their order.

import { pagesOf, placesOf } from "./parts.js"

export function headings({ heads, columns, units, unit, rows }, words) {
  const names = heads.map((name, n) => (n === 0 && unit ? `${name} (${unit})` : name))
  const unitHead = rows.some((row) => row.unit) ? [words.unit] : []
  return [...names, ...unitHead, ...columns.map((column, n) => (units[n] ? `${column} (${units[n]})` : column))]
}

function lines(table, rows, words, cellText) {
  const hasUnits = table.rows.some((row) => row.unit)
  return [headings(table, words), ...rows.map((row) => [...row.names, ...(hasUnits ? [row.unit] : []), ...row.cells.map(cellText)])]
}

// A spreadsheet would run a text that begins so as a formula.
const RUNS = /^[=+\-@\t\r]/

export function asCsv(table, rows, words) {
  const text = (cell) => (cell.value === null ? cell.shown : String(cell.value))
  const safe = (value) => (RUNS.test(value) && Number.isNaN(Number(value)) ? `'${value}` : value)
  const quoted = (value) => (/[",\r\n]/.test(safe(value)) ? `"${safe(value).replaceAll('"', '""')}"` : safe(value))
  return lines(table, rows, words, text).map((line) => line.map(quoted).join(",")).join("\r\n") + "\r\n"
}

// As other programs take it, in full units without separators; a figure opens its page.
export function copyTable(table, rows, words) {
  const cells = lines(table, rows, words, (cell) => ({ text: cell.value === null ? cell.shown : cell.value, link: addressOf(placesOf(cell)[0]) }))
  return copyCells(cells.map((line) => line.map((cell) => (typeof cell === "string" ? { text: cell } : cell))))
}

// Lines of {text, link} as a table in HTML and as lines with tabs, at once: the program that they are put into chooses.
export function copyCells(all) {
  const escaped = (value) => String(value).replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)
  const html = all.map((line, n) => line.map(({ text, link }) => `<t${n ? "d" : "h"}>${link ? `<a href="${escaped(link)}">${escaped(text)}</a>` : escaped(text)}</t${n ? "d" : "h"}>`))
  const plain = all.map((line) => line.map(({ text }) => String(text).replace(/[\t\n]+/g, " ")).join("\t"))
  const blob = (type, content) => new Blob([content], { type })
  const forms = { "text/html": blob("text/html", `<table>${html.map((line) => `<tr>${line.join("")}</tr>`).join("")}</table>`), "text/plain": blob("text/plain", plain.join("\n")) }
  return navigator.clipboard.write([new ClipboardItem(forms)])
}

// Where the chat shows a page by itself, with its marks; "" where there is none.
function addressOf(place) {
  const marks = place?.boxes?.length ? `&boxes=${place.boxes.map((box) => box.join(",")).join(";")}` : ""
  return place?.sha1 ? `${location.origin}/report/${place.sha1}/view?page=${place.page}${marks}` : ""
}

// With the page of each figure behind it.
export function asMarkdown(table, rows, words) {
  const escaped = (value) => String(value).replace(/([\\|*_`\[\]<>])/g, "\\$1")
  const text = (cell) => (cell.place && cell.value !== null ? `${cell.shown} (${pagesOf(placesOf(cell), words, words.page_short)})` : cell.shown)
  const [head, ...body] = lines(table, rows, words, text)
  const names = table.heads.length + (head.length - table.heads.length - table.columns.length)
  const rule = head.map((_, n) => (n < names ? "---" : "---:"))
  const sources = [...new Set(rows.flatMap((row) => row.cells.flatMap(placesOf).map((place) => place.title).filter(Boolean)))]
  return [`**${escaped(table.title)}**`, "", ...[head, rule, ...body].map((line, n) => `| ${line.map((value) => (n === 1 ? value : escaped(value))).join(" | ")} |`), "", `${words.sources}: ${sources.join("; ")}`].join("\n")
}

export function download(name, ending, type, content) {
  const address = URL.createObjectURL(new Blob([content], { type }))
  const link = Object.assign(document.createElement("a"), { href: address, download: `${name.replace(/[\\/:*?"<>|\x00-\x1f]/g, "").slice(0, 120)}.${ending}` })
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 1000)
}
