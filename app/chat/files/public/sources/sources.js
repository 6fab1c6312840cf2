// What stands around the conversation: the button and panel of sources, the chip above the composer, dropped PDFs.

import { icon, make as h } from "../dom.js"
import { counted, t } from "../words.js"
import { begin, choosePdfs, keepIn, sendFiles, state, whenChanged } from "./page.js"
import { drawModel, modelButton } from "./model.js"
import { choose, isOpen, refresh, toggle } from "./panel.js"

const MOST_CHIPS = 3

function sourcesButton() {
  return h(
    "button",
    {
      type: "button",
      class: "pp-head-button",
      "aria-expanded": String(isOpen()),
      "aria-label": t("sources.open"),
      title: t("sources.open"),
      "data-testid": "sources-button",
      onclick: toggle,
    },
    icon("library"),
    h("span", {}, t("sources.title")),
  )
}

// "About: Ostermere Instruments 2024 ×"
function drawAbout() {
  const home = document.querySelector("#pp-about")
  if (!home) return
  const shown = state.about.slice(0, MOST_CHIPS)
  const more = state.about.length - shown.length
  const without = (sha1) => state.about.map((chosen) => chosen.sha1).filter((each) => each !== sha1)
  home.hidden = state.about.length === 0
  home.replaceChildren(
    h("span", { class: "pp-note" }, `${t("about.label")}:`),
    ...shown.map((chosen) =>
      h(
        "span",
        { class: "pp-about-chip", "data-testid": "about-chip" },
        chosen.label,
        h(
          "button",
          {
            type: "button",
            "aria-label": t("about.drop", { name: chosen.label }),
            onclick: () => choose(without(chosen.sha1)),
          },
          icon("close"),
        ),
      ),
    ),
    ...(more ? [h("button", { type: "button", class: "pp-link", onclick: toggle }, t("about.more", { n: more }))] : []),
    ...(state.about.length > 1
      ? [h("button", { type: "button", class: "pp-link", onclick: () => choose([]) }, t("about.clear"))]
      : []),
  )
}

// The first screen: what this is, what is there, how to add to it.
function drawFirst() {
  const home = document.querySelector("#pp-first")
  if (!home || !state.library) return
  const { companies, reports, names } = state.library
  const listed = companies > names.length ? t("first.others", { names: names.join(", "), n: companies - names.length }) : names.join(", ")
  const counts = { companies: counted("sources.company", companies), reports: counted("sources.report", reports), names: listed }
  const parts = [h("h1", {}, t("first.title"))]
  if (reports) {
    const all = h("button", { type: "button", class: "pp-link", onclick: toggle }, t("first.show"))
    parts.push(h("p", {}, t("first.library", counts), " ", all))
    if (state.uploads) parts.push(h("p", { class: "pp-quiet" }, t("first.drop")))
  } else {
    parts.push(h("p", {}, `${t("first.empty")} ${t(state.uploads ? "first.drop_first" : "first.locked")}`))
    if (state.uploads) parts.push(h("button", { type: "button", class: "pp-offer", onclick: () => choosePdfs(true) }, t("first.choose")))
  }
  home.replaceChildren(...parts)
}

// Files that are dropped anywhere on the page are sent, once: Chainlit, which takes those on its own places too, does
// not hear of them. Beside a question that is being written they wait for it.
function takeDroppedFiles() {
  let depth = 0
  const veil = h("div", { class: "pp-drop", "aria-hidden": "true" }, h("p", {}, t("sources.drop")))
  const shown = (change) => {
    depth = Math.max(0, change ? depth + change : 0)
    veil.hidden = depth === 0
  }
  shown(0)
  document.body.append(veil)
  const acts = {
    dragenter: () => shown(1),
    dragleave: () => shown(-1),
    dragover: () => {},
    drop: ({ dataTransfer }) => {
      shown(0)
      sendFiles(dataTransfer.files)
    },
  }
  for (const [name, act] of Object.entries(acts)) {
    const heard = (event) => {
      if (!state.uploads || ![...(event.dataTransfer?.types || [])].includes("Files")) return
      event.preventDefault() // the browser would show the PDF in the place of the chat
      event.stopImmediatePropagation()
      act(event)
    }
    window.addEventListener(name, heard, true)
  }
}

export async function start() {
  document.head.append(h("link", { rel: "stylesheet", href: "/public/sources/sources.css" }))
  await begin()
  keepIn("#header > div:first-child", "pp-sources-button", sourcesButton, (home, made) => home.append(made))
  keepIn("#message-composer", "pp-about", () => h("div", { class: "pp-about-line" }), (home, made) => {
    home.prepend(made)
    drawAbout()
  })
  keepIn("#header > div:first-child", "pp-model-button", modelButton, (home, made) => home.append(made))
  keepIn("#welcome-screen", "pp-first", () => h("div", { class: "pp-first" }), (home, made) => {
    home.querySelector("#message-composer")?.before(made)
    drawFirst()
  })
  whenChanged(drawAbout)
  whenChanged(drawFirst)
  whenChanged(drawModel)
  whenChanged(refresh)
  takeDroppedFiles()
}
