// Names for Chainlit's controls, which are pictures without words, and roles where it has forgotten them.

const NAMED = {
  "#upload-button": "attach",
  "#chat-settings-open-modal": "settings",
  "#chat-submit": "send",
  "#stop-button": "stop",
  "#new-chat-button": "new",
  "#search-chats-button": "search",
  "#sidebar-trigger-button": "sidebar",
  "#theme-toggle": "theme",
  "#chat-profiles": "profile",
  "#thread-options": "menu",
  "button:has(> .lucide-thumbs-up)": "helpful",
  "button:has(> .lucide-thumbs-down)": "unhelpful",
  "button:has(> .lucide-arrow-down)": "down",
  "button:has(> .lucide-copy)": "copy",
  "[cmdk-input]": "search",
}
const PAUSE = 120 // milliseconds between two looks at a page that is changing
const ABOVE = 20 // pixels above a question, as Chainlit leaves them

function name(words) {
  for (const [selector, word] of Object.entries(NAMED)) {
    for (const control of document.querySelectorAll(`${selector}:not([aria-label])`)) {
      // A box of choices is not named by the choice that it shows.
      if (!control.innerText?.trim() || control.role === "combobox") control.setAttribute("aria-label", words[word])
    }
  }
  for (const input of document.querySelectorAll("#chat-input:not([aria-label])")) input.setAttribute("aria-label", words.question)
  // The items of the list of conversations stand in boxes, which a list may not have.
  for (const list of document.querySelectorAll("ul[data-sidebar='menu']:not([role]), ul[data-sidebar='menu'] li:not([role])")) list.setAttribute("role", "none")
  for (const menu of document.querySelectorAll("#thread-options:not([role])")) menu.setAttribute("role", "button")
  for (const dialog of document.querySelectorAll("[role='dialog']:not([aria-label])")) {
    if (!document.getElementById(dialog.getAttribute("aria-labelledby"))) dialog.setAttribute("aria-label", words.dialog)
  }
}

// A question that was just sent stays at the top until the person does something else, so that its answer is seen:
// Chainlit scrolls before the cards above it are drawn anew, and not at all where the answer begins at once.
let asked = { path: "", count: 0 }
let isFollowed = false

function followQuestion() {
  const questions = document.querySelectorAll("[data-step-type='user_message']")
  const before = asked
  asked = { path: location.pathname, count: questions.length }
  if (before.path !== asked.path) {
    isFollowed = false
    if (before.path.startsWith("/thread/")) window.pageproof.leave()
  }
  else if (before.count && asked.count > before.count) isFollowed = true
  if (!isFollowed || !questions.length) return
  const question = questions[questions.length - 1]
  const scroller = question.closest(".overflow-y-auto")
  const distance = question.getBoundingClientRect().top - scroller.getBoundingClientRect().top - ABOVE
  if (Math.abs(distance) > 1) scroller.scrollTop += distance
}

function letGo(event) {
  if (!event.target.closest?.("#chat-input")) isFollowed = false
}

// Enter in a window with one field presses its last button; Escape closes any window, where Chainlit forgets them.
function press(event) {
  const dialog = [...document.querySelectorAll("[role='dialog'][data-state='open']")].at(-1)
  if (!dialog || event.isComposing) return
  const buttons = [...dialog.querySelectorAll("button:not([disabled])")]
  const isClose = (button) => button.querySelector(".lucide-x") !== null
  if (event.key === "Escape") setTimeout(() => dialog.matches("[data-state='open']") && buttons.find(isClose)?.click(), PAUSE)
  const isOnly = event.target.matches("input") && dialog.querySelectorAll("input, textarea").length === 1
  if (event.key !== "Enter" || !isOnly || event.target.closest("form, [cmdk-root]")) return
  event.preventDefault()
  buttons.filter((button) => !isClose(button)).at(-1)?.click()
}

export async function start() {
  window.addEventListener("keydown", press, true) // before anybody who keeps it from the others
  for (const act of ["wheel", "touchstart", "pointerdown", "keydown"]) window.addEventListener(act, letGo, { capture: true, passive: true })
  const { controls } = await window.pageproof.words()
  let waiting = false
  const look = () => {
    waiting = false
    name(controls)
  }
  let drawing = false
  const follow = () => {
    drawing = false
    followQuestion()
  }
  new MutationObserver(() => {
    if (!waiting) setTimeout(look, PAUSE)
    if (!drawing) requestAnimationFrame(follow) // before what moved is seen
    waiting = drawing = true
  }).observe(document.body, { childList: true, subtree: true })
  look()
}
