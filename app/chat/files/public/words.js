// The words on the screen, in the reader's language, as the server has them under "pageproof".

let words = {}
let loading = null

// Fetch the words, once, and give them; t() gives names in their place until they are there.
export function loadWords() {
  loading ??= fetch(`/project/translations?language=${navigator.language || "en-US"}`)
    .then((spoken) => spoken.json())
    .then(({ translation }) => (words = translation.pageproof))
    .catch(() => {
      loading = null
      return words
    })
  return loading
}

// The words under a name such as "pane.close"; {n} and the like are filled in.
export function t(name, values = {}) {
  const found = name.split(".").reduce((part, key) => part?.[key], words)
  return String(found ?? name).replace(/\{(\w+)\}/g, (whole, key) => values[key] ?? whole)
}

// A number of things: the words under "….one" or "….many".
export function counted(name, n) {
  return t(`${name}.${n === 1 ? "one" : "many"}`, { n: n.toLocaleString("en-US") })
}
