// What the pages of ours beside the chat share: words, requests, the chat's colours.

import { make } from "../dom.js"

let words = {}

export async function learnWords() {
  const spoken = await fetch(`/project/translations?language=${navigator.language || "en-US"}`)
  words = (await spoken.json()).translation.pageproof.team
  document.documentElement.lang = navigator.language?.startsWith("de") ? "de" : "en"
}

// The words under a name; {n} and the like are filled in.
export function t(name, values = {}) {
  return String(words[name] ?? name).replace(/\{(\w+)\}/g, (whole, key) => values[key] ?? whole)
}

export class Refused extends Error {
  constructor(message, status) {
    super(message)
    this.status = status
  }
}

export async function request(method, path, body) {
  let answer
  const headers = body ? { "Content-Type": "application/json" } : {}
  try {
    answer = await fetch(path, { method, headers, body: body && JSON.stringify(body), credentials: "same-origin" })
  } catch {
    throw new Refused(t("lost"), 0)
  }
  const content = await answer.json().catch(() => null)
  if (answer.ok) return content
  const why = answer.status === 401 ? t("sign_in") : typeof content?.detail === "string" ? content.detail : t("lost")
  throw new Refused(why, answer.status)
}

// The chat's colours, dark where the person chose so there, or where the system is.
export async function paint() {
  const chosen = localStorage.getItem("vite-ui-theme") ?? "system"
  const isDark = chosen === "system" ? matchMedia("(prefers-color-scheme: dark)").matches : chosen === "dark"
  const root = document.documentElement
  root.classList.toggle("dark", isDark)
  root.style.colorScheme = isDark ? "dark" : "light"
  const { variables } = await (await fetch("/public/theme.json")).json()
  for (const [name, value] of Object.entries(variables[isDark ? "dark" : "light"])) root.style.setProperty(name, value)
}

// A link to send, with a button that copies it.
export function linkBox(address, note, say = t) {
  const field = make("input", { readonly: true, "aria-label": say("link"), "data-testid": "link" })
  field.value = address
  const copy = make("button", { type: "button", class: "tm-main" }, say("copy"))
  copy.addEventListener("click", async () => {
    field.select()
    try {
      await navigator.clipboard.writeText(address)
    } catch {
      document.execCommand("copy")
    }
    copy.textContent = say("copied")
  })
  return make("div", { class: "tm-link" }, make("p", {}, note), field, make("div", { class: "tm-row" }, copy))
}
