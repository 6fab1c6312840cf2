// Elements that our scripts make, their icons, and the chat's colours. Text is always set as text, never as HTML.

const SVG = "http://www.w3.org/2000/svg"
const ICONS = {
  back: ["m15 6-6 6 6 6"],
  chip: ["M7 7h10v10H7z", "M9 3v4", "M15 3v4", "M9 17v4", "M15 17v4", "M3 9h4", "M3 15h4", "M17 9h4", "M17 15h4"],
  close: ["M18 6 6 18", "m6 6 12 12"],
  down: ["m6 9 6 6 6-6"],
  fit: ["M3 5v14", "M21 5v14", "M7 12h10", "m10 9-3 3 3 3", "m14 9 3 3-3 3"],
  left: ["m15 18-6-6 6-6"],
  library: ["M4 4v16", "M8 4v16", "M12 4h4v16h-4z", "m16.5 4.6 3.5-.9 3.2 15.4-3.5.9"],
  list: ["M3 6h.01", "M3 12h.01", "M3 18h.01", "M8 6h13", "M8 12h13", "M8 18h13"],
  minus: ["M5 12h14"],
  out: ["M15 3h6v6", "M10 14 21 3", "M18 13v6a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V8a2 2 0 0 1 2-2h6"],
  plus: ["M5 12h14", "M12 5v14"],
  right: ["m9 18 6-6-6-6"],
  search: ["m21 21-4.3-4.3", "M11 3a8 8 0 1 0 0 16a8 8 0 1 0 0-16"],
  share: ["M12 15V4", "M8 7.5 12 3.5l4 4", "M5 12v7.5h14V12"],
  up: ["m18 15-6-6-6 6"],
}

// An element with properties, attributes and what it is told: make("button", { class: "pp-offer", onclick: f, "aria-label": "…" }, "text", other).
export function make(name, given = {}, ...children) {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined || value === null || value === false) continue
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value)
    else if (key in made) made[key] = value
    else made.setAttribute(key, value === true ? "" : value)
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false))
  return made
}

// A part of a drawing.
export function drawn(name, attributes = {}, ...children) {
  const part = document.createElementNS(SVG, name)
  for (const [key, value] of Object.entries(attributes)) part.setAttribute(key, value)
  part.append(...children)
  return part
}

export function icon(name, size = 18) {
  const looks = { viewBox: "0 0 24 24", width: size, height: size, fill: "none", stroke: "currentColor", "aria-hidden": "true" }
  const lines = { "stroke-width": 1.9, "stroke-linecap": "round", "stroke-linejoin": "round" }
  return drawn("svg", { ...looks, ...lines }, ...ICONS[name].map((d) => drawn("path", { d })))
}

// The chat's colours for a page of ours beside it: dark where the person chose so there, or where the system is.
export async function paint() {
  const chosen = localStorage.getItem("vite-ui-theme") ?? "system"
  const isDark = chosen === "system" ? matchMedia("(prefers-color-scheme: dark)").matches : chosen === "dark"
  const root = document.documentElement
  root.classList.toggle("dark", isDark)
  root.style.colorScheme = isDark ? "dark" : "light"
  const { variables } = await (await fetch("/public/theme.json")).json()
  for (const [name, value] of Object.entries(variables[isDark ? "dark" : "light"])) root.style.setProperty(name, value)
}
