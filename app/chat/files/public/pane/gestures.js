// Zooming by wheel and by two fingers, and dragging the pane's edge.

const WHEEL = 0.0022 // of a zoom step for a pixel that the wheel turns

// With Ctrl a wheel zooms where the pointer is; a trackpad's pinch comes as the same event.
export function zoomByWheel(list) {
  list.element.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && !event.metaKey) return
      event.preventDefault()
      const turned = Math.max(-120, Math.min(120, event.deltaY))
      list.zoomTo(list.zoomOf(list.page) * Math.exp(-turned * WHEEL * 2), { x: event.clientX, y: event.clientY })
    },
    { passive: false },
  )
}

// Two fingers zoom around their middle; one finger scrolls as everywhere.
export function zoomByFingers(list) {
  let begun = null
  const spread = ([a, b]) => Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY)
  const middle = ([a, b]) => ({ x: (a.clientX + b.clientX) / 2, y: (a.clientY + b.clientY) / 2 })
  list.element.addEventListener("touchstart", (event) => {
    begun = event.touches.length === 2 ? { spread: spread(event.touches), zoom: list.zoomOf(list.page) } : null
  }, { passive: true })
  list.element.addEventListener(
    "touchmove",
    (event) => {
      if (!begun || event.touches.length !== 2) return
      event.preventDefault()
      list.zoomTo((begun.zoom * spread(event.touches)) / Math.max(begun.spread, 1), middle(event.touches))
    },
    { passive: false },
  )
  const end = () => {
    begun = null
  }
  list.element.addEventListener("touchend", end, { passive: true })
  list.element.addEventListener("touchcancel", end, { passive: true })
}

// The edge between conversation and pane: dragged, or moved by arrows. `width()` reads and `resize(width)` sets.
export function dragEdge(edge, width, resize, done) {
  edge.addEventListener("pointerdown", (event) => {
    event.preventDefault()
    edge.setPointerCapture(event.pointerId)
    const [from, wide] = [event.clientX, width()]
    const move = (moved) => resize(wide + from - moved.clientX)
    edge.addEventListener("pointermove", move)
    const end = () => {
      edge.removeEventListener("pointermove", move)
      done()
    }
    edge.addEventListener("lostpointercapture", end, { once: true })
  })
  edge.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: 32, ArrowRight: -32 }[event.key]
    if (!step) return
    event.preventDefault()
    event.stopPropagation()
    resize(width() + step)
    done()
  })
}
