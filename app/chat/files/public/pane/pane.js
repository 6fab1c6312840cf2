// The page pane: a report beside the conversation.

let pane = null

export function openPage({ sha1, page, title }) {
  if (pane) pane.remove()
  pane = document.createElement("aside")
  pane.className = "pp-pane"
  const close = document.createElement("button")
  close.type = "button"
  close.textContent = "Close"
  close.addEventListener("click", () => pane.remove())
  const picture = document.createElement("img")
  picture.dataset.testid = "page-image"
  picture.alt = `${title || "Report"}, page ${page}`
  picture.src = `/report/${sha1}/${page}.png`
  pane.append(close, picture)
  document.body.append(pane)
}
