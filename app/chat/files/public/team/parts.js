// What the pages of ours beside the chat share: words, requests, links to send.

import { make } from "../dom.js"
import { t as say } from "../words.js"

// The words of these pages.
export const t = (name, values) => say(`team.${name}`, values)

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

// A link to send, with a button that copies it.
export function linkBox(address, note) {
  const field = make("input", { readonly: true, "aria-label": t("link"), "data-testid": "link" })
  field.value = address
  const copy = make("button", { type: "button", class: "tm-main" }, t("copy"))
  copy.addEventListener("click", async () => {
    field.select()
    try {
      await navigator.clipboard.writeText(address)
    } catch {
      document.execCommand("copy")
    }
    copy.textContent = t("copied")
  })
  return make("div", { class: "tm-link" }, make("p", {}, note), field, make("div", { class: "tm-row" }, copy))
}
