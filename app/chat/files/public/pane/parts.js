// Small parts of the pane: buttons, what is waited for, what went wrong.

import { icon, make } from "../dom.js"
import { t } from "../words.js"

// A button with an icon; its name is what it does, with the key that does the same.
export function button(iconName, name, onClick, key = "") {
  const made = make("button", { type: "button", className: "pane-tool", title: key ? `${name} (${key})` : name }, icon(iconName, 16))
  made.setAttribute("aria-label", name)
  if (key) made.setAttribute("aria-keyshortcuts", key)
  made.addEventListener("click", onClick)
  return made
}

export function spinner(words) {
  return make("div", { className: "pane-wait", role: "status" }, make("span", { className: "pane-wheel" }), make("span", { className: "pane-hidden", textContent: words }))
}

// What went wrong, in words, with a button to try again.
export function trouble(message, again) {
  const box = make("div", { className: "pane-trouble", role: "alert" }, make("p", { textContent: message }))
  if (again) {
    const retry = make("button", { type: "button", className: "pane-retry", textContent: t("pane.retry") })
    retry.addEventListener("click", again)
    box.append(retry)
  }
  return box
}

export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches
