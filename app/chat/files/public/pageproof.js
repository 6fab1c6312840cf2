// What the chat's page runs beside Chainlit. A plain script, so that it runs before Chainlit draws anything.

// Chainlit knows "system" but its settings file does not; a person's own choice wins.
if (!localStorage.getItem("vite-ui-theme")) localStorage.setItem("vite-ui-theme", "system")

// The screen is in German or in English: see words.json.
document.documentElement.lang = navigator.language?.toLowerCase().startsWith("de") ? "de" : "en"

// A module of the chat, asked for again each second while the chat is not there to give it. It is fetched before it is
// imported, and then by another address: browsers remember an import that failed.
const modules = new Map() // by path, so that each is there once
const load = (path) => modules.get(path) ?? modules.set(path, loaded(path)).get(path)

async function loaded(path) {
  for (let tries = 0; ; tries++) {
    try {
      await fetch(path)
      return await import(tries ? `${path}?again=${tries}` : path)
    } catch (error) {
      if (!/fetch|load|import/i.test(error.message)) throw error
      await new Promise((resolve) => setTimeout(resolve, 1000))
    }
  }
}

const pane = () => load("/public/pane/pane.js")

// What elements call:
//   openPage({sha1, page, title, boxes, marks, index})
// opens a report's page beside the conversation. `boxes` are the places to mark, each [left, top, right, bottom] in
// points; `marks` all places of the answer, each {sha1, page, boxes, label}; `index` which of them to begin with. From
// there one steps through those with boxes, or those without: `isRead` says of one that it was only read. A place may
// also have a `quote`, which is shown above the page, or a `note`.
//   expectPage(sha1)
// makes ready for a page of that report, when somebody points at a link to it.
//   answered(card, marks)
// tells that a new answer is on the screen: an open pane turns to the first of its marks.
//   leave()
// closes the pane, when its conversation is left.
//   showFacts(sha1)
// opens the panel of sources at a report's figures.
//   factsBook(company)
// gives a company's figures as a workbook.
//   cards()
// gives the modules that draw an answer's table, its formula and its picture; words() the screen's words,
// after which t() gives one by its name.
const cards = async () => Object.assign({}, ...(await Promise.all(["table", "picture", "exports", "amounts"].map((name) => load(`/public/cards/${name}.js`)))))

const words = async () => {
  const { loadWords, t } = await load("/public/words.js")
  const all = await loadWords()
  window.pageproof.t = t
  return all
}

const drawn = new Set() // the messages whose answers were drawn: Chainlit may draw one again

async function answered(card, marks) {
  const message = card.closest("[id^='step-']")?.id
  const isNew = !drawn.has(message)
  drawn.add(message)
  const isLast = [...document.querySelectorAll(".pp-answer")].at(-1) === card
  if (isNew && isLast && isPaneOpen()) (await pane()).follow(marks)
}

const isPaneOpen = () => document.body.classList.contains("pane-open")

window.pageproof = {
  answered,
  cards,
  words,
  factsBook: (company) => load("/public/sources/page.js").then((page) => page.openBook(company)),
  leave: () => isPaneOpen() && pane().then(({ closePage }) => closePage()),
  openPage: (place) => pane().then(({ openPage }) => openPage(place)),
  showFacts: (sha1) => load("/public/sources/panel.js").then((panel) => panel.showFacts(sha1)),
  expectPage: (sha1) => pane().then(({ expectPage }) => expectPage(sha1)),
}

// The sources of the library, the first screen, the model: what stands around the conversation.
document.addEventListener("DOMContentLoaded", () => load("/public/sources/sources.js").then((page) => page.start()))
document.addEventListener("DOMContentLoaded", () => load("/public/controls.js").then((controls) => controls.start()))
document.addEventListener("DOMContentLoaded", () => load("/public/team/share.js").then((page) => page.start()))

// A link to a page of a report opens the pane, wherever it stands in the conversation; with a key held down, or in the
// pane itself, it stays a link.
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href*='/report/']")
  const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey
  if (!link || !isPlain || event.defaultPrevented || link.closest(".pane") || !/[#?&]page=\d/.test(link.href)) return
  event.preventDefault()
  pane().then(({ openLink }) => openLink(link))
})
