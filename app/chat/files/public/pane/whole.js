// The pane as a page of its own: what a link from a workbook opens.

import { loadWords, t } from "../words.js"
import { make, paint } from "../dom.js"
import { Pane } from "./pane.js"
import { placeOf } from "./report.js"

async function begin() {
  await Promise.all([loadWords(), paint().catch(() => {})]) // without colours the report is read all the same
  const place = placeOf(location.href) ?? placeOf(`${location.pathname}?page=1`)
  if (place) await new Pane({ isWhole: true }).open(place)
  else document.body.append(make("p", {}, t("pane.no_place")), make("a", { href: "/" }, t("team.back")))
}

begin()
