// Pages of ours beside the chat: people, an invitation, a shared conversation. The address says which.

import { make, paint } from "../dom.js"
import { loadWords } from "../words.js"
import { linkBox, Refused, request, t } from "./parts.js"

const main = document.querySelector("main")
const ROLES = ["reader", "contributor", "keeper"]

const back = () => make("a", { class: "tm-back", href: "/" }, t("back"))
const trouble = make("p", { class: "tm-trouble", role: "alert" })

function say(error) {
  trouble.textContent = error ? error.message : ""
  if (error) trouble.scrollIntoView({ block: "nearest" })
}

function show(title, ...content) {
  document.title = `${title} – Pageproof`
  main.replaceChildren(...content)
  main.setAttribute("aria-busy", "false")
}

function refused(error) {
  const status = error instanceof Refused ? error.status : 0
  const title = t(status === 404 ? "no_link" : "not_here")
  const ways = { 401: make("a", { href: "/login" }, t("sign_in_now")), 404: make("a", { href: "/" }, t("new_chat")) }
  show(title, back(), make("h1", {}, title), make("p", {}, error.message), ways[status] ?? "")
}

// People

let fresh = null // a link that was just made; it is shown this once

async function people() {
  const known = await request("GET", "/team/people")
  show(
    t("people"),
    back(),
    make("h1", {}, t("people")),
    make("p", { class: "tm-quiet" }, t("people_note")),
    trouble,
    ...(fresh ? [fresh] : []),
    make("ul", { class: "tm-people", "data-testid": "people" }, ...known.map(person)),
    make("h2", {}, t("invite")),
    invitation(),
    make("h2", {}, t("roles")),
    make(
      "table",
      { class: "tm-roles" },
      make("tbody", {}, ...ROLES.map((role) => make("tr", {}, make("th", { scope: "row" }, t(role)), make("td", {}, t(`${role}_may`))))),
    ),
  )
}

// Does one thing, then shows everyone as they are now.
async function change(method, path, body, after = () => null) {
  say(null)
  try {
    fresh = after(await request(method, path, body))
    await people()
  } catch (error) {
    say(error)
  }
}

const invited = (name) => ({ secret }) =>
  linkBox(`${location.origin}/invite#${secret}`, t("link_note", { name }))

function person({ name, role, state, is_me: isMe, is_fixed: isFixed }) {
  const remarks = [isMe && t("you"), isFixed && t("fixed"), state !== "active" && t(state)].filter(Boolean)
  const cannot = isMe || isFixed
  return make(
    "li",
    { "data-testid": "person" },
    make("span", { class: "tm-name" }, make("strong", {}, name), " ", make("span", { class: "tm-quiet" }, remarks.join(" · "))),
    cannot
      ? make("span", { class: "tm-quiet" }, t(role))
      : chooser(role, t("role_of", { name }), (chosen) => change("PUT", "/team/people", { name, role: chosen })),
    cannot
      ? null
      : make(
          "span",
          { class: "tm-row" },
          make("button", { type: "button", onclick: () => sure(name, t("new_link_sure", { name }), () => change("POST", "/team/link", { name }, invited(name))) }, t("new_link")),
          make("button", { type: "button", class: "tm-danger", "aria-label": t("revoke_of", { name }), onclick: () => sure(name, t("revoke_sure", { name }), () => change("DELETE", "/team/people", { name })) }, t("revoke")),
        ),
  )
}

// Asks once more, in the line of the person.
function sure(name, question, yes) {
  const line = [...document.querySelectorAll("[data-testid=person]")].find((each) => each.querySelector("strong").textContent === name)
  const answer = make("button", { type: "button", class: "tm-danger", onclick: yes }, t("yes"))
  line.replaceChildren(
    make("span", { class: "tm-name" }, question),
    make("span", { class: "tm-row" }, answer, make("button", { type: "button", onclick: () => people().catch(say) }, t("cancel"))),
  )
  answer.focus()
}

function chooser(role, label, chosen) {
  const select = make("select", { "aria-label": label }, ...ROLES.map((each) => make("option", { value: each, selected: each === role }, t(each))))
  if (chosen) select.addEventListener("change", () => chosen(select.value))
  return select
}

function invitation() {
  const name = make("input", { name: "name", required: true, maxlength: "100", autocomplete: "off" })
  const role = chooser("contributor", t("role"))
  const form = make(
    "form",
    {},
    make("label", {}, t("name"), name),
    make("label", {}, t("role"), role),
    make("button", { type: "submit", class: "tm-main" }, t("make_link")),
  )
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    change("POST", "/team/people", { name: name.value, role: role.value }, invited(name.value.trim()))
  })
  return form
}

// An invitation

function accept() {
  const secret = location.hash.slice(1)
  const fields = ["password", "again"].map((name) =>
    make("input", { type: "password", name, required: true, minlength: "8", autocomplete: "new-password" }),
  )
  const form = make(
    "form",
    {},
    ...fields.map((field) => make("label", {}, t(field.name), field)),
    make("button", { type: "submit", class: "tm-main" }, t("set_password")),
  )
  form.addEventListener("submit", async (event) => {
    event.preventDefault()
    const [password, again] = fields.map((field) => field.value)
    if (password !== again) return say(new Error(t("not_the_same")))
    try {
      const { name } = await request("POST", "/invite", { secret, password })
      history.replaceState(null, "", "/invite")
      show(t("welcome"), make("h1", {}, t("welcome")), make("p", {}, t("welcome_note", { name })), make("p", {}, make("a", { href: "/login" }, t("sign_in_now"))))
    } catch (error) {
      say(error)
    }
  })
  show(t("welcome"), make("h1", {}, t("welcome")), make("p", {}, t("choose_password")), trouble, form)
}

// A shared conversation

async function shared() {
  const found = await request("GET", `${location.pathname}/answers`).catch((error) => {
    throw [400, 404].includes(error.status) ? new Refused(t("no_conversation"), 404) : error
  })
  const title = found.name || t("shared")
  const cards = make("div", { "data-testid": "shared" })
  cards.innerHTML = found.cards // the server has escaped what comes from reports, models and people
  const on = new Date(found.at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })
  show(title, back(), make("h1", {}, title), make("p", { class: "tm-quiet" }, t("shared_by", { owner: found.owner, on })), cards)
}

async function begin() {
  document.documentElement.lang = navigator.language?.startsWith("de") ? "de" : "en"
  await Promise.all([paint().catch(() => {}), loadWords()])
  const page = location.pathname.split("/")[1]
  try {
    if (page === "invite") accept()
    else if (page === "team") await people()
    else if (page === "shared") await shared()
  } catch (error) {
    refused(error)
  }
}

begin()
