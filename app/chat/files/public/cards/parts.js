// Small parts that the cards are made of.

import { make } from "../dom.js"

// A page in words, with the number that it prints: "page 35 (printed 29)".
export const pageOf = (place, words, word = words.page) => `${word} ${place.page}` + (place.printed ? ` (${words.printed} ${place.printed})` : "")

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
