/**
 * Sends a request again that the server refused with 429 (too many requests), after the time that the server names. The
 * server refuses before it does anything, so a write may be repeated as safely as a read.
 */
import { create } from 'zustand'

interface RateState {
  /** The server's message while at least one request waits; else null. `ServerBanner` shows it. */
  message: string | null
}

export const useRateLimit = create<RateState>(() => ({ message: null }))

/** A request is repeated so often at most; then its caller gets the refusal. */
const MOST_WAITS = 3
const LONGEST_WAIT_SECONDS = 60

let waiting = 0

/** `fetch` for the requests of the page, with repetitions. */
export async function fetchWithinRate(request: Request): Promise<Response> {
  const body = request.body === null ? null : await request.text() // a cloned request would send its body as a stream
  const { url, method, headers, signal } = request
  for (let waits = 0; ; waits += 1) {
    const answer = await fetch(new Request(url, { method, headers, signal, body }))
    const seconds = Number(answer.headers.get('retry-after'))
    if (answer.status !== 429 || waits === MOST_WAITS || !(seconds > 0 && seconds <= LONGEST_WAIT_SECONDS))
      return answer
    await waitAndSay(seconds, await messageIn(answer), request.signal)
  }
}

async function messageIn(answer: Response): Promise<string> {
  const body: unknown = await answer.json().catch(() => null)
  const message = typeof body === 'object' && body !== null && 'message' in body ? body.message : null
  return typeof message === 'string' ? message : 'Too many requests.'
}

async function waitAndSay(seconds: number, message: string, signal: AbortSignal): Promise<void> {
  waiting += 1
  useRateLimit.setState({ message })
  try {
    await pause(seconds * 1000, signal)
  } finally {
    waiting -= 1
    if (waiting === 0) useRateLimit.setState({ message: null })
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(new DOMException('The request was given up.', 'AbortError'))
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
}
