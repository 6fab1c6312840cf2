// The pane as a page of its own: what a link from a workbook opens.

import { loadWords, t } from "../words.js"
import { make } from "./parts.js"
import { Pane } from "./pane.js"
import { placeOf } from "./report.js"

// The chat's colours, dark where the person chose so there, or where the system is.
async function paint() {
  const chosen = localStorage.getItem("vite-ui-theme") ?? "system"
  const isDark = chosen === "system" ? matchMedia("(prefers-color-scheme: dark)").matches : chosen === "dark"
  const root = document.documentElement
  root.classList.toggle("dark", isDark)
  const { variables } = await (await fetch("/public/theme.json")).json()
  for (const [name, value] of Object.entries(variables[isDark ? "dark" : "light"])) root.style.setProperty(name, value)
}

async function begin() {
  await Promise.all([loadWords(), paint().catch(() => {})]) // without colours the report is read all the same
  const place = placeOf(location.href) ?? placeOf(`${location.pathname}?page=1`)
  if (place) await new Pane({ isWhole: true }).open(place)
  else document.body.append(make("p", { textContent: t("pane.no_place") }))
}

begin()
