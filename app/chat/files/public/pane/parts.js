// Small parts of the pane: elements, icons, buttons. Text is always set as text, never as HTML.

import { t } from "../words.js"

const SVG = "http://www.w3.org/2000/svg"
const ICONS = {
  close: ["M18 6 6 18", "m6 6 12 12"],
  search: ["m21 21-4.3-4.3", "M11 3a8 8 0 1 0 0 16a8 8 0 1 0 0-16"],
  plus: ["M5 12h14", "M12 5v14"],
  minus: ["M5 12h14"],
  fit: ["M3 5v14", "M21 5v14", "M7 12h10", "m10 9-3 3 3 3", "m14 9 3 3-3 3"],
  list: ["M3 6h.01", "M3 12h.01", "M3 18h.01", "M8 6h13", "M8 12h13", "M8 18h13"],
  up: ["m18 15-6-6-6 6"],
  down: ["m6 9 6 6 6-6"],
  left: ["m15 18-6-6 6-6"],
  right: ["m9 18 6-6-6-6"],
  out: ["M15 3h6v6", "M10 14 21 3", "M18 13v6a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V8a2 2 0 0 1 2-2h6"],
}

// An element with properties, attributes (`data-` and `aria-` ones and `role`) and children.
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes("-") || name === "role" || name === "for") element.setAttribute(name, value)
    else element[name] = value
  }
  element.append(...children)
  return element
}

export function icon(name) {
  const svg = document.createElementNS(SVG, "svg")
  const looks = { viewBox: "0 0 24 24", width: 16, height: 16, fill: "none", stroke: "currentColor" }
  const lines = { "stroke-width": 2, "stroke-linecap": "round", "stroke-linejoin": "round", "aria-hidden": "true" }
  for (const [key, value] of Object.entries({ ...looks, ...lines })) svg.setAttribute(key, value)
  for (const line of ICONS[name]) {
    const path = document.createElementNS(SVG, "path")
    path.setAttribute("d", line)
    svg.append(path)
  }
  return svg
}

// A button with an icon; its name is what it does, with the key that does the same.
export function button(iconName, name, onClick, key = "") {
  const made = make("button", { type: "button", className: "pane-tool", title: key ? `${name} (${key})` : name }, icon(iconName))
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
