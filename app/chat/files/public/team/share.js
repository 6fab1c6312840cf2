// The button that shares a conversation, and its dialog: a link for people who sign in here, a file for everybody.

import { icon, make } from "../dom.js"
import { keepIn, request, state, whenChanged } from "../sources/page.js"
import { linkBox, t as words } from "./parts.js"

let dialog = null

function shareButton() {
  const given = { type: "button", class: "pp-head-button", title: words("share"), "aria-label": words("share"), "data-testid": "share-button", onclick: open }
  return make("button", given, icon("share"), make("span", {}, words("share_short")))
}

async function open() {
  dialog?.remove()
  dialog = make("dialog", { class: "tm-dialog", "aria-label": words("share") })
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close())
  dialog.addEventListener("close", () => dialog.remove())
  document.body.append(dialog)
  await draw()
  dialog.showModal()
}

async function draw(made = false) {
  let known
  try {
    known = await request("GET", "/sharing", {})
  } catch (error) {
    return fill(make("p", { role: "alert" }, error.message))
  }
  fill(
    ...(known.thread ? offers(known, made) : [make("p", {}, words("nothing_yet"))]),
    known.manages && make("p", {}, make("a", { href: "/team" }, words("manage"))),
  )
}

function fill(...content) {
  const close = make("button", { type: "button", onclick: () => dialog.close() }, words("close"))
  dialog.replaceChildren(make("h2", {}, words("share")), ...content.filter(Boolean), make("div", { class: "tm-row tm-end" }, close))
}

function offers({ thread, link, can_link: canLink }, made) {
  const act = (method, after) => async () => {
    try {
      await request(method, `/sharing/${thread}`, {})
      await draw(after)
    } catch (error) {
      fill(make("p", { role: "alert" }, error.message))
    }
  }
  const button = (name, onclick, given = {}) => make("button", { type: "button", onclick, "data-testid": name, ...given }, words(name))
  const file = make("a", { class: "tm-button", href: `/sharing/${thread}/answers.html`, download: true, "data-testid": "companion" }, words("download"))
  return [
    ...(canLink && !link ? [make("p", {}, words("link_for")), make("div", { class: "tm-row" }, button("make_share", act("PUT", true), { class: "tm-main" }))] : []),
    ...(canLink && link
      ? [
          linkBox(`${location.origin}/shared/${link}`, words(made ? "link_made" : "link_there")),
          make("div", { class: "tm-row" }, button("update_share", act("PUT", true)), button("take_back", act("DELETE", false), { class: "tm-danger" })),
        ]
      : []),
    make("p", {}, words("file_for")),
    make("div", { class: "tm-row" }, file),
  ]
}

export function start() {
  document.head.append(make("link", { rel: "stylesheet", href: "/public/team/share.css" }))
  let placed = false
  whenChanged(() => {
    document.body.classList.toggle("pp-no-uploads", !state.uploads)
    if (placed) return
    placed = true // the words are there now
    keepIn("#header > div:first-child", "pp-share-button", shareButton, (home, button) => home.append(button))
  })
}
