// Small parts that the cards are made of.

import { make } from "../dom.js"

// A page in words, with the number that it prints: "page 35 (printed 29)".
export const pageOf = (place, words, word = words.page) => `${word} ${place.page}` + (place.printed ? ` (${words.printed} ${place.printed})` : "")

// Where a cell's figure is from: the page that prints it, or those of the operands that it was calculated from.
export const operandsOf = (cell) => cell.formula?.operands.map((operand) => operand.place) ?? []
export const placesOf = (cell) => (operandsOf(cell).length ? operandsOf(cell) : cell.place ? [cell.place] : [])

export const pagesOf = (places, words, word = words.page) => [...new Set(places.map((place) => pageOf(place, words, word)))].join(", ")

// What a figure says when it is pointed at: the words on the page, and the number that the page itself prints.
export const hintOf = (place, words) => (place.printed ? `${pageOf(place, words, words.page_short)}: ${place.quote}` : place.quote)

// A quiet button; `done` replaces its text for a moment.
export function textButton(text, act, testId, done = "") {
  const label = make("span", { "aria-live": "polite" }, text)
  const button = make("button", { type: "button", className: "pp-text-button", "data-testid": testId }, label)
  button.addEventListener("click", async () => {
    await act()
    if (!done) return
    label.textContent = done
    setTimeout(() => (label.textContent = text), 2000)
  })
  return button
}
