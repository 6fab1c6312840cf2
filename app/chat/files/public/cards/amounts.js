// Money as people read it: in millions, until somebody wants all digits. Hints and files always have all digits.

const [STORED, CHANGED] = ["pp-all-digits", "pp-digits-changed"]
const MILLION = 1e6
const LARGE = 1e11 // from here on a tenth of a million is noise

export const areAllShown = () => localStorage.getItem(STORED) === "yes"

export function showAllDigits(all) {
  localStorage.setItem(STORED, all ? "yes" : "no")
  window.dispatchEvent(new Event(CHANGED))
}

// Calls `act` whenever somebody switches; gives what ends that.
export function whenDigitsChange(act) {
  window.addEventListener(CHANGED, act)
  return () => window.removeEventListener(CHANGED, act)
}

// The unit of a figure: said over the whole table, over its column, or in its row.
export const unitOf = (table, row, n) => table.unit || table.units[n] || row.unit

const isMoney = (unit) => /^[A-Z]{3}$/.test(unit)

// One scale for all money of a table, and one number of decimals for each currency.
export class Scale {
  // `figures` are {value, unit}, without a figure null; `language` is that of the texts beside them.
  constructor(figures, language = "en") {
    const money = figures.filter(({ value, unit }) => value !== null && isMoney(unit))
    this.fits = money.some(({ value }) => Math.abs(value) >= MILLION)
    this.decimals = new Map()
    for (const currency of new Set(money.map(({ unit }) => unit))) {
      const own = money.filter(({ unit }) => unit === currency).map(({ value }) => Math.abs(value))
      this.decimals.set(currency, Math.max(...own) < LARGE && own.some((value) => value % MILLION) ? 1 : 0)
    }
    this.language = language
  }

  static of(table) {
    const scale = new Scale(table.rows.flatMap((row) => row.cells.map((cell, n) => ({ value: cell.value, unit: unitOf(table, row, n) }))), table.language)
    return Object.assign(scale, { table })
  }

  // The table with its texts as they are shown now.
  shownTable(words) {
    const { table } = this
    const rows = table.rows.map((row) => ({
      ...row,
      unit: this.unit(row.unit, words),
      cells: row.cells.map((cell, n) => ({ ...cell, shown: this.figure(cell.value, unitOf(table, row, n), cell.shown) })),
    }))
    return { ...table, rows, unit: this.unit(table.unit, words), units: table.units.map((unit) => this.unit(unit, words)) }
  }

  covers(unit) {
    return this.fits && isMoney(unit) && !areAllShown()
  }

  // The figure in millions, or the text that has all its digits.
  figure(value, unit, text) {
    if (value === null || !this.covers(unit)) return text
    const decimals = this.decimals.get(unit)
    const isTiny = value !== 0 && Math.abs(value) < MILLION / 10 ** (decimals + 1)
    const digits = isTiny ? { maximumSignificantDigits: 2 } : { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
    return new Intl.NumberFormat(this.language, digits).format(value / MILLION)
  }

  unit(unit, words) {
    return this.covers(unit) ? words.in_millions.replace("{unit}", unit) : unit
  }
}

// One amount by itself: "$386.4m". In another language than the screen's it keeps the words of its answer.
export function amountOf({ value, currency, language }, words) {
  if (Math.abs(value) < MILLION || areAllShown() || language !== document.documentElement.lang) return ""
  const digits = { maximumFractionDigits: Math.abs(value) < 10 * MILLION ? 2 : Math.abs(value) < LARGE ? 1 : 0 }
  const parts = {
    sign: value < 0 ? "-" : "",
    number: new Intl.NumberFormat(language, digits).format(Math.abs(value) / MILLION),
    currency: symbolOf(currency, language),
  }
  return words.amount_in_millions.replace(/\{(\w+)\}/g, (_, name) => parts[name]).trim()
}

// "$", "CA$", or "CHF " with a space.
function symbolOf(currency, language) {
  const symbol = new Intl.NumberFormat(language, { style: "currency", currency }).formatToParts(0).find(({ type }) => type === "currency").value
  return /\p{L}$/u.test(symbol) ? `${symbol}\u00a0` : symbol
}

// The button that switches; it says what it would show.
export function digitsLabel(words) {
  return areAllShown() ? words.show_millions : words.show_digits
}
