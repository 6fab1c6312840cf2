// Fetches pictures of pages, a few at a time, and the ones in view before all others.

import { fetchWhole } from "./report.js"

const AT_ONCE = 3
const TRIES = 20 // while the server draws many pages

export class Pictures {
  constructor() {
    this.waiting = []
    this.running = new Set()
  }

  // The picture at an address as a blob. `urgency` gives the order, the smallest first; it is read when a place is free.
  fetch(address, urgency, signal) {
    return new Promise((resolve, reject) => {
      const job = { address, urgency, signal, resolve, reject }
      signal.addEventListener("abort", () => this.drop(job), { once: true })
      this.waiting.push(job)
      this.next()
    })
  }

  drop(job) {
    this.waiting = this.waiting.filter((other) => other !== job)
    job.reject(new DOMException("not needed any more", "AbortError"))
  }

  next() {
    this.waiting.sort((a, b) => a.urgency() - b.urgency())
    while (this.running.size < AT_ONCE && this.waiting.length && this.mayRun(this.waiting[0])) {
      this.run(this.waiting.shift())
    }
  }

  // The server draws one page after the other: what is not in view waits until all in view is there.
  mayRun(job) {
    return job.urgency() === 0 || [...this.running].every((other) => other.urgency() > 0)
  }

  async run(job) {
    this.running.add(job)
    try {
      job.resolve(await patiently(job.address, job.signal))
    } catch (error) {
      job.reject(error)
    } finally {
      this.running.delete(job)
      this.next()
    }
  }
}

async function patiently(address, signal) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await (await fetchWhole(address, signal)).blob()
    } catch (error) {
      if (error.status !== 503 || tries === TRIES) throw error
      await new Promise((resolve) => setTimeout(resolve, 250 * Math.min(tries, 4)))
      signal.throwIfAborted()
    }
  }
}
