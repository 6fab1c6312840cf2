// Who answers: the label in the header, the profiles of the chat, and the form that connects a model.

import { icon, make as h } from "../dom.js"
import { t } from "../words.js"
import { request, sleep, state } from "./page.js"

const LOCAL = /^https?:\/\/(127(\.\d+){3}|localhost|\[::1\])(?=[:/]|$)/

const listed = (hosts) => hosts.join(", ")

function label() {
  const { name, hosts } = state.model
  if (!name) return hosts.length ? t("model.none_sends", { hosts: listed(hosts) }) : t("model.none")
  return hosts.length ? t("model.there", { name, hosts: listed(hosts) }) : t("model.here", { name })
}

export function modelButton() {
  const made = h("button", { type: "button", class: "pp-head-button pp-model", "data-testid": "model-button", onclick: open })
  queueMicrotask(drawModel)
  return made
}

export function drawModel() {
  const home = document.querySelector("#pp-model-button")
  if (!home || !state.model) return
  const invites = state.model.may_connect && !state.model.name
  home.setAttribute("aria-label", t("model.button", { what: label() }))
  home.replaceChildren(
    icon("chip"),
    h("span", {}, label()),
    ...(invites ? [h("span", { class: "pp-model-invites" }, t("model.connect"))] : []),
  )
}

const button = (text, onclick, given = {}) => h("button", { type: "button", onclick, ...given }, text)

async function open() {
  const dialog = h("dialog", { class: "pp-dialog", "aria-label": t("model.title"), "data-testid": "model-dialog" })
  dialog.addEventListener("close", () => dialog.remove())
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close())
  document.body.append(dialog)
  dialog.append(h("div", { class: "pp-dialog-body" }, h("p", { class: "pp-quiet" }, t("sources.loading"))))
  dialog.showModal()
  try {
    draw(dialog, await request("GET", "/sources/model", {}))
  } catch (error) {
    dialog.firstChild.replaceChildren(h("p", { class: "pp-warning" }, error.message))
  }
}

function draw(dialog, offered, said = "") {
  const told = h("p", { class: "pp-said", role: "status", "data-testid": "model-said" }, said)
  const change = async (method, body, path = "/sources/model") => {
    try {
      take(await request(method, path, body))
      dialog.close()
    } catch (error) {
      told.textContent = error.message
    }
  }
  dialog.firstChild.replaceChildren(
    h(
      "header",
      { class: "pp-dialog-head" },
      h("h2", { class: "pp-title" }, t("model.title")),
      button(icon("close"), () => dialog.close(), { class: "pp-icon-button", "aria-label": t("model.close") }),
    ),
    h("p", { class: "pp-note" }, t("model.about")),
    ...(offered.own ? [own(dialog, offered, told, change)] : []),
    h("h3", {}, t("model.choose")),
    h("ul", { class: "pp-profiles" }, ...offered.profiles.map((profile) => choice(profile, offered, change))),
    ...(offered.known && !offered.model.connected
      ? [
          h(
            "div",
            { class: "pp-row" },
            h("span", {}, t("model.known", { model: offered.known.model })),
            button(t("model.use"), () => change("PUT", { profile: "connected" }), { class: "pp-offer" }),
          ),
        ]
      : []),
    ...(offered.model.connected || offered.known
      ? [button(t("model.disconnect"), () => change("DELETE", {}), { class: "pp-link", "data-testid": "disconnect" })]
      : []),
    ...(offered.providers.length ? [form(dialog, offered, told)] : []),
    told,
  )
}

function take(answered) {
  window.postMessage({ pageproof: answered }, location.origin)
}

function choice(profile, offered, change) {
  const isNow = !offered.model.connected && offered.model.profile === profile.profile
  const where = profile.hosts.length ? t("model.sends", { hosts: listed(profile.hosts) }) : t("model.stays")
  return h(
    "li",
    {},
    button(
      [
        h("strong", {}, profile.model || t("model.bare"), isNow ? h("span", { class: "pp-whose" }, ` · ${t("model.now")}`) : ""),
        h("span", { class: "pp-note" }, profile.model || profile.hosts.length ? `${profile.description} ${where}.` : profile.description),
        ...(profile.missing ? [h("span", { class: "pp-warning" }, t("model.missing", { address: profile.missing }))] : []),
      ],
      () => change("PUT", { profile: profile.profile }),
      { class: "pp-profile", "aria-pressed": String(isNow), "data-testid": `profile-${profile.profile}` },
    ),
  )
}

// The models of this machine

const gigabytes = (number) => number.toLocaleString(navigator.language, { maximumFractionDigits: 1 })

function own(dialog, offered, told, change) {
  const { models, install } = offered.own
  const act = async (model, what) => {
    try {
      drawOwn(await request("POST", "/sources/model/own", { model, what }))
    } catch (error) {
      told.className = "pp-said pp-warning"
      told.textContent = error.message
    }
  }
  const list = h("ul", { class: "pp-profiles" })
  const made = h(
    "section",
    { class: "pp-own", "data-testid": "own-models" },
    h("h3", {}, t("model.own.title")),
    h("p", { class: "pp-note" }, install ? t("model.own.install", { command: install }) : t("model.own.about")),
    list,
  )
  let waiting = false
  function drawOwn(now) {
    const isOwn = (model) => now.model.connected && now.model.name === model.name
    const rows = now.own.models.map((model) => ownModel(model, Boolean(install), isOwn(model), act, change))
    list.replaceChildren(...rows)
    if (now.own.models.some((model) => model.here_gb !== null)) look()
  }
  async function look() {
    if (waiting) return
    waiting = true
    await sleep(1000)
    waiting = false
    if (!dialog.open) return
    try {
      drawOwn(await request("GET", "/sources/model", {}))
    } catch (error) {
      told.textContent = error.message
    }
  }
  queueMicrotask(() => drawOwn(offered))
  return made
}

function ownModel(model, lacks, isNow, act, change) {
  const size = gigabytes(model.size_gb)
  const facts = model.memory_gb
    ? t("model.own.facts", { licence: model.licence, size, memory: model.memory_gb })
    : t("model.own.facts_here", { size })
  const isRunning = model.here_gb !== null
  const named = { "aria-label": "", class: "pp-offer" }
  const does = (text, onclick) => button(text, onclick, { ...named, "aria-label": `${text}: ${model.title}` })
  const actions = isRunning
    ? [
        h("progress", { max: model.size_gb, value: model.here_gb, "aria-label": model.title }),
        h("span", { class: "pp-note" }, t("model.own.progress", { here: gigabytes(model.here_gb), size })),
        does(t("model.own.stop"), () => act(model.name, "stop")),
      ]
    : model.is_here
      ? [does(t("model.own.use"), () => change("POST", { model: model.name, what: "use" }, "/sources/model/own"))]
      : [does(t("model.own.get", { size }), () => act(model.name, "get"))]
  return h(
    "li",
    { class: "pp-profile pp-own-model", "data-testid": `own-${model.name}` },
    h("strong", {}, model.title, isNow ? h("span", { class: "pp-whose" }, ` · ${t("model.own.now")}`) : ""),
    ...(model.about ? [h("span", { class: "pp-note" }, model.about)] : []),
    h("span", { class: "pp-note" }, facts),
    ...(model.trouble ? [h("span", { class: "pp-warning" }, model.trouble)] : []),
    ...(lacks || isNow ? [] : [h("div", { class: "pp-row" }, ...actions)]),
  )
}

// The form

function form(dialog, offered, told) {
  const provider = h("select", { name: "provider" }, ...offered.providers.map((p) => h("option", { value: p.id }, p.name)))
  const address = h("input", { name: "address", type: "url", autocomplete: "off", spellcheck: "false" })
  const model = h("input", { name: "model", required: true, autocomplete: "off", spellcheck: "false" })
  const key = h("input", { name: "key", type: "password", autocomplete: "off", spellcheck: "false" })
  const remember = h("input", { name: "remember", type: "checkbox" })
  const keyLabel = h("span", {})
  const sent = h("p", { class: "pp-note", "data-testid": "model-sent" })
  const submit = h("button", { type: "submit", class: "pp-offer pp-primary" }, t("model.submit"))
  const chosen = () => offered.providers.find((p) => p.id === provider.value)
  const explain = () => {
    const isHere = LOCAL.test(address.value)
    const host = hostOf(address.value) || chosen().name
    const stored = remember.checked ? t("model.kept_ring") : t("model.kept")
    sent.replaceChildren(`${t("model.tested")} ${isHere ? t("model.sent_here") : t("model.sent", { host })} ${stored}`)
  }
  const fill = () => {
    const { address: known, model: usual, needs_key: needsKey } = chosen()
    address.value = known
    address.readOnly = Boolean(known) && !LOCAL.test(known)
    model.value = usual
    keyLabel.textContent = t(needsKey ? "model.key" : "model.key_optional")
    explain()
  }
  provider.addEventListener("change", fill)
  address.addEventListener("input", explain)
  remember.addEventListener("change", explain)
  fill()
  const made = h(
    "form",
    { class: "pp-form pp-connect", "data-testid": "connect-form" },
    h("h3", {}, t("model.form")),
    h("label", {}, t("model.provider"), provider),
    h("label", {}, t("model.address"), address),
    h("label", {}, t("model.name"), model),
    h("label", {}, keyLabel, key),
    ...(offered.can_remember ? [h("label", { class: "pp-tick" }, remember, t("model.remember"))] : []),
    sent,
    h("div", { class: "pp-row" }, submit),
  )
  made.addEventListener("submit", async (event) => {
    event.preventDefault()
    submit.disabled = true
    told.className = "pp-said"
    told.textContent = t("model.testing")
    const body = { provider: provider.value, address: address.value, model: model.value, key: key.value, remember: remember.checked }
    try {
      const answered = await request("POST", "/sources/model", body)
      take(answered)
      const done = t("model.done", { model: body.model, seconds: answered.seconds.toFixed(1) })
      const kept = remember.checked && !answered.remembered ? ` ${t("model.not_remembered")}` : ""
      draw(dialog, await request("GET", "/sources/model", {}), done + kept)
    } catch (error) {
      told.className = "pp-said pp-warning"
      told.textContent = error.trouble ? t(`model.trouble.${error.trouble}`, { why: error.message }) : error.message
    } finally {
      submit.disabled = false
    }
  })
  return made
}

function hostOf(address) {
  try {
    return new URL(address).hostname
  } catch {
    return ""
  }
}
