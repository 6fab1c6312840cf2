// Small parts that the cards are made of.

import { make } from "../dom.js"

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
