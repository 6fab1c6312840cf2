// The table of an answer's figures: sorted by a click on a heading, drawn as lines or bars, taken along as a file.

import { chartOf } from "./chart.js"
import { Scale, areAllShown, digitsLabel, showAllDigits, unitOf, whenDigitsChange } from "./amounts.js"
import { asCsv, asMarkdown, copyTable, download } from "./exports.js"
import { make } from "../dom.js"
import { hintOf, operandsOf, pageOf, pagesOf, placesOf, textButton } from "./parts.js"

const LONG = 20 // rows; a longer table scrolls by itself

export class FigureTable {
  // `table` as the card has it; `words` in the language of the screen.
  constructor(table, words) {
    this.table = table
    this.words = words
    this.order = table.rows.map((_, n) => n)
    this.sorted = { column: -1, down: false }
    this.highest = highestOf(table)
    this.marks = printedIn(table)
    this.scale = Scale.of(table)
    this.body = make("tbody")
    this.heads = []
    this.grid = make("table", { className: `pp-table pp-cells ${table.heads.length > 1 ? "pp-two-names" : ""}`, "data-testid": "figure-table" }, make("thead"), this.body)
    const isLong = table.rows.length > LONG
    this.scroller = make("div", { className: `pp-cells-scroll ${isLong ? "pp-scroll" : ""}`, tabIndex: 0, role: "region", "aria-label": table.title }, this.grid)
    this.drawing = make("div", { className: "pp-chart", hidden: true })
    this.element = make("div", { className: "pp-figure-table" }, this.scroller, this.drawing, this.tools())
    this.fill()
    whenDigitsChange(() => this.fill())
    if (table.are_periods) requestAnimationFrame(() => (this.scroller.scrollLeft = this.scroller.scrollWidth)) // the newest is the last
  }

  head() {
    const { heads, columns, units, unit: whole, rows } = this.table
    const line = make("tr")
    const unit = this.scale.unit(whole, this.words)
    const names = heads.map((name, n) => ({ name: n === 0 && unit ? `${name} (${unit})` : name, key: (row) => row.names[n] }))
    this.heads = []
    this.hasUnits = rows.some((row) => row.unit)
    if (this.hasUnits) names.push({ name: this.words.unit, key: (row) => row.unit })
    columns.forEach((column, n) => names.push({ name: units[n] ? `${column} (${this.scale.unit(units[n], this.words)})` : column, key: (row) => row.cells[n].value, isFigure: true }))
    names.forEach(({ name, key, isFigure }, n) => {
      const button = make("button", { type: "button", className: "pp-sort", title: this.words.sort }, name)
      button.addEventListener("click", () => this.sort(n, key))
      const isUnit = name === this.words.unit && this.hasUnits
      const head = make("th", { scope: "col", className: isFigure ? "pp-amount" : isUnit ? "pp-unit" : "" }, button)
      if (n === this.sorted.column) head.setAttribute("aria-sort", this.sorted.down ? "descending" : "ascending")
      this.heads.push(head)
      line.append(head)
    })
    return line
  }

  // The first click on figures puts the highest first, that on names the first letter; a missing figure comes last.
  sort(column, key) {
    const isFigure = this.table.rows.some((row) => typeof key(row) === "number")
    const down = this.sorted.column === column ? !this.sorted.down : isFigure
    this.sorted = { column, down }
    const rows = this.table.rows
    this.order.sort((a, b) => {
      const [one, other] = [key(rows[a]), key(rows[b])]
      if (one === other) return a - b
      if (one === null) return 1
      if (other === null) return -1
      const before = typeof one === "number" ? one - other : String(one).localeCompare(String(other))
      return down ? -before : before
    })
    this.fill()
    this.heads[column].firstChild.focus()
  }

  rows() {
    return this.order.map((n) => this.table.rows[n])
  }

  fill() {
    this.grid.tHead.replaceChildren(this.head())
    if (this.digits) this.digits.firstChild.textContent = digitsLabel(this.words)
    this.body.replaceChildren(...this.rows().map((row, n, all) => this.row(row, all[n - 1])))
    if (this.file) this.file.href = `${this.table.workbook}?order=${this.order.join(",")}`
    if (!this.drawing.hidden) this.draw()
  }

  // A company that stands in the row above is not written again, but read out.
  row(row, above) {
    const line = make("tr", { "data-testid": "comparison-row" })
    row.names.forEach((name, n) => {
      const isAgain = n === 0 && row.names.length > 1 && above?.names[0] === name
      const note = n === 0 && row.note && !isAgain ? [make("div", { className: "pp-note" }, row.note)] : []
      const unit = n === row.names.length - 1 && row.unit ? [make("span", { className: "pp-unit-within" }, ` ${this.scale.unit(row.unit, this.words)}`)] : []
      const company = n > 0 ? [make("div", { className: "pp-note pp-company-within", "aria-hidden": "true" }, row.names[0])] : []
      line.append(make("th", { scope: "row" }, ...company, isAgain ? make("span", { className: "sr-only" }, name) : name, ...unit, ...note))
    })
    if (this.hasUnits) line.append(make("td", { className: "pp-unit" }, this.scale.unit(row.unit, this.words)))
    row.cells.forEach((cell, n) => {
      const made = this.cell(cell, line, [...row.names, this.table.columns[n]].join(", "), unitOf(this.table, row, n))
      if (cell.value !== null && cell.value === this.highest[n]) {
        made.classList.add("pp-highest")
        made.title = this.words.highest
        made.append(make("span", { className: "sr-only" }, `, ${this.words.highest}`))
      }
      line.append(made)
    })
    return line
  }

  cell(cell, line, name, unit) {
    if (!cell.shown) return make("td")
    if (cell.value === null) return make("td", { className: "pp-amount" }, this.missing(cell, line, name))
    const shown = this.scale.figure(cell.value, unit, cell.shown)
    const parts = cell.place ? [this.opener(cell, shown)] : [shown]
    if (cell.formula) parts.push(this.unfolding(line, name, "ƒ", "pp-formula-button", `${this.words.calculated}: ${cell.place?.label ?? ""}`, "show-formula", () => formulaOf(cell.formula, this.words)))
    return make("td", { className: "pp-amount" }, ...parts)
  }

  // A printed figure is one of the table's marks; a calculated one has its operands as marks of its own.
  opener(cell, text = cell.shown, testId = "citation") {
    const places = placesOf(cell)
    const marks = operandsOf(cell).length ? places : this.marks
    const index = marks.indexOf(places[0])
    const full = text === cell.shown || cell.value === null ? [] : [cell.shown]
    const title = [...full, ...places.map((place) => hintOf(place, this.words))].join("\n")
    const button = make("button", { type: "button", className: "pp-figure", "data-testid": testId, title, "aria-label": `${cell.place.label}: ${cell.shown}, ${pagesOf(places, this.words)}` }, text)
    button.addEventListener("pointerenter", () => window.pageproof.expectPage(places[0].sha1))
    button.addEventListener("click", () => window.pageproof.openPage({ ...places[0], marks, index }))
    return button
  }

  // "N/A" unfolds into the reason, and a chip that opens the page of the nearest figure.
  missing(cell, line, name) {
    if (!cell.note && !cell.place) return make("span", { className: "pp-empty" }, cell.shown)
    return this.unfolding(line, name, cell.shown, "pp-figure pp-empty", `${cell.shown}: ${this.words.why}`, "missing", () => {
      const why = make("div", { className: "pp-formula", "data-testid": "why" }, make("p", {}, cell.note))
      if (cell.place) {
        const chip = this.opener(cell, `${this.words.nearest}: ${this.words.page} ${cell.place.page}`, "nearest")
        chip.className = "pp-chip"
        chip.setAttribute("aria-label", chip.textContent)
        why.append(make("div", { className: "pp-row" }, chip))
      }
      return why
    })
  }

  // A button that unfolds a line below its row, which says whose figure it is about: several may be unfolded.
  unfolding(line, name, text, className, label, testId, content) {
    const button = make("button", { type: "button", className, "data-testid": testId, "aria-expanded": "false", "aria-label": label, title: label }, text)
    let below = null
    button.addEventListener("click", () => {
      if (below) {
        below.remove()
        below = null
      } else line.after((below = make("tr", { className: "pp-formula-line" }, make("td", { colSpan: this.heads.length }, make("h4", {}, name), content()))))
      button.setAttribute("aria-expanded", String(below !== null))
    })
    return button
  }

  tools() {
    const { title, workbook } = this.table
    const drawn = textButton(this.words.chart, () => this.turn(drawn), "show-chart")
    drawn.setAttribute("aria-pressed", "false")
    const csv = textButton("CSV", () => download(title, "csv", "text/csv", "\ufeff" + asCsv(this.table, this.rows(), this.words)), "table-csv")
    const markdown = textButton("Markdown", () => navigator.clipboard.writeText(asMarkdown(this.table, this.rows(), this.words)), "table-markdown", this.words.copied)
    const tools = make("div", { className: "pp-tools pp-table-tools" }, drawn)
    if (this.scale.fits) {
      this.digits = textButton(digitsLabel(this.words), () => showAllDigits(!areAllShown()), "all-digits")
      tools.append(this.digits)
    }
    const copy = textButton(this.words.copy_table, () => copyTable(this.table, this.rows(), this.words), "copy-table", this.words.copied)
    tools.append(copy, csv)
    if (workbook) {
      this.file = make("a", { className: "pp-text-button", href: workbook, download: "", "data-testid": "table-workbook" }, this.words.workbook)
      tools.append(this.file)
    }
    tools.append(markdown)
    return tools
  }

  turn(button) {
    this.drawing.hidden = !this.drawing.hidden
    this.scroller.hidden = !this.drawing.hidden
    button.setAttribute("aria-pressed", String(!this.drawing.hidden))
    button.firstChild.textContent = this.drawing.hidden ? this.words.chart : this.words.table
    if (!this.drawing.hidden) this.draw()
  }

  draw() {
    this.drawing.replaceChildren(...chartOf(this.table, this.rows(), this.words))
  }
}

const printedIn = (table) => table.rows.flatMap((row) => row.cells.filter((cell) => cell.place && !operandsOf(cell).length).map((cell) => cell.place))

// The marks of a table: its printed figures; where all are calculated, what the first one rests on.
export function marksOf(table) {
  const printed = printedIn(table)
  return printed.length ? printed : (table.rows.flatMap((row) => row.cells.map(operandsOf)).find((places) => places.length) ?? [])
}

// The highest figure of each column where companies are compared in one unit; null where one's figure is missing.
function highestOf({ heads, columns, rows, unit, units }) {
  const isCompared = heads.length === 1 && heads[0] === "Company" && rows.length > 1
  return columns.map((_, n) => {
    const figures = rows.map((row) => row.cells[n].value).filter((value) => value !== null)
    const isOfOneUnit = Boolean(unit || units[n]) || rows.every((row) => !row.unit)
    return isCompared && isOfOneUnit && figures.length === rows.length ? Math.max(...figures) : null
  })
}

// A calculation in words and in figures, each operand a chip that opens its page.
export function formulaOf({ words, figures, operands }, spoken) {
  const marks = operands.map((operand) => operand.place)
  const chips = operands.map((operand, index) => {
    const chip = make("button", { type: "button", className: "pp-chip", "data-testid": "operand", title: hintOf(operand.place, spoken) }, `${operand.name}: ${operand.shown}`)
    chip.addEventListener("click", () => window.pageproof.openPage({ ...operand.place, marks, index }))
    return chip
  })
  const below = chips.length ? [make("div", { className: "pp-row" }, ...chips)] : []
  return make("div", { className: "pp-formula", "data-testid": "formula" }, make("p", {}, `= ${words}`), make("p", { className: "pp-cells-of" }, `= ${figures}`), ...below)
}

