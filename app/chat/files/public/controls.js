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
  const { controls } = await window.pageproof.words()
  let waiting = false
  const look = () => {
    waiting = false
    name(controls)
  }
  new MutationObserver(() => {
    if (!waiting) setTimeout(look, PAUSE)
    waiting = true
  }).observe(document.body, { childList: true, subtree: true })
  look()
}
