// Elements that our scripts make. Text is always set as text, never as HTML.

// An element: make("button", { class: "pp-offer", onclick: f, "aria-label": "…" }, "text", other).
export function make(name, given = {}, ...children) {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined || value === null || value === false) continue
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value)
    else if (key in made && typeof value !== "string") made[key] = value
    else made.setAttribute(key, value === true ? "" : value)
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false))
  return made
}
