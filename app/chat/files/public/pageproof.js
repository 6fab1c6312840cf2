// What the chat's page runs beside Chainlit. A plain script, so that it runs before Chainlit draws anything.

// Chainlit knows "system" but its settings file does not; a person's own choice wins.
if (!localStorage.getItem("vite-ui-theme")) localStorage.setItem("vite-ui-theme", "system")

// What elements call:
//   openPage({sha1, page, title, boxes, marks, index})
// opens a report's page beside the conversation. `boxes` are the places to mark, each [left, top, right, bottom] in
// points; `marks` all marks of the answer, each {sha1, page, boxes, label}; `index` which of them to begin with.
window.pageproof = {
  openPage: (place) => import("/public/pane/pane.js").then((pane) => pane.openPage(place)),
}

// The sources of the library, the first screen, the model: what stands around the conversation.
document.addEventListener("DOMContentLoaded", () => import("/public/sources/sources.js").then((page) => page.start()))
