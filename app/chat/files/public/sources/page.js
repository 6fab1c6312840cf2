// What the parts of the page around the conversation share: the server's state, requests to it.

import { loadWords, t } from "../words.js"

const HELLO = "pageproof: hello"
const heard = new Set()

// As the server says it: `session` is the id of this page's connection, `about` the reports that were chosen.
export const state = { session: null, about: [], uploads: false, model: null }

export function whenChanged(listener) {
  heard.add(listener)
}

function take(told) {
  Object.assign(state, told)
  heard.forEach((listener) => listener(state))
}

window.addEventListener("message", (event) => {
  if (event.source !== window || !event.data || !event.data.pageproof) return
  event.stopImmediatePropagation() // Chainlit would send it back to the server
  take(event.data.pageproof)
})

function hello() {
  window.postMessage(HELLO, location.origin) // Chainlit hands it on to the server
}

export async function begin() {
  await loadWords()
  for (let waited = 0; !state.session; waited += 500) {
    hello()
    await sleep(Math.min(500 + waited, 4000))
  }
}

export const sleep = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds))

// A request in the name of this page's session; its trouble is an Error in words.
export async function request(method, path, body) {
  let answer = await send(method, path, body)
  if (answer.status === 404 || answer.status === 401) {
    const before = state.session // another conversation was opened meanwhile
    hello()
    for (let tries = 0; tries < 20 && state.session === before; tries += 1) await sleep(100)
    if (state.session !== before) answer = await send(method, path, body)
  }
  const content = await answer.json().catch(() => null)
  if (!answer.ok) {
    const detail = typeof content?.detail === "string" ? content.detail : t("sources.lost")
    throw Object.assign(new Error(detail), { trouble: content?.trouble })
  }
  return content
}

async function send(method, path, body) {
  const session = { session_id: state.session }
  const query = method === "GET" ? `?${new URLSearchParams({ ...body, ...session })}` : ""
  const options = method === "GET" ? {} : { body: JSON.stringify({ ...body, ...session }) }
  try {
    return await fetch(path + query, { method, headers: { "Content-Type": "application/json" }, ...options })
  } catch {
    throw new Error(t("sources.lost"))
  }
}

// A company's figures as a workbook: the browser stores the file.
export function openBook(company) {
  location.assign(`/sources/facts.xlsx?${new URLSearchParams({ company, session_id: state.session })}`)
}

// Let a person choose PDFs. Where nothing is typed and `atOnce`, they are sent as soon as they are here.
export function choosePdfs(atOnce = false) {
  const input = document.querySelector("#upload-button-input")
  if (!input) return
  if (atOnce) input.addEventListener("change", sendWhenHere, { once: true })
  input.click()
}

// Send files; beside a question that is being written they wait for it.
export function sendFiles(files) {
  const input = document.querySelector("#upload-button-input")
  if (!input) return
  input.files = files
  input.dispatchEvent(new Event("change", { bubbles: true }))
  sendWhenHere()
}

async function sendWhenHere() {
  for (let tries = 0; tries < 300; tries += 1) {
    await sleep(200)
    const submit = document.querySelector("#chat-submit:not([disabled])")
    if (document.querySelector("#chat-input")?.textContent.trim()) return // a question is being written beside them
    if (submit) return submit.click()
  }
}

// Puts elements of ours into what Chainlit draws, again whenever it draws anew.
export function keepIn(selector, id, make, place) {
  let waiting = false
  const put = () => {
    waiting = false
    const home = document.querySelector(selector)
    if (home && !home.querySelector(`#${id}`)) {
      const made = make()
      made.id = id
      place(home, made)
    }
  }
  const later = () => {
    if (waiting) return
    waiting = true
    requestAnimationFrame(put)
  }
  new MutationObserver(later).observe(document.body, { childList: true, subtree: true })
  put()
}
