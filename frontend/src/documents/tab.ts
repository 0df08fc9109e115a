/** Which tab of the browser this is, and which others are open: each says so in the storage that they share. */
import { browserStorage as storage } from '../app/browser-storage'

const NAME = 'piql:tab'
const PREFIX = 'piql:tab:'
const SIGN_MS = 4000
/** A tab that has given no sign for so long is gone, or asleep; what it typed is then kept by another one as well. */
const GONE_MS = 15_000

export const tab: string = identify()

export function isAlive(tabName: string): boolean {
  return Date.now() - Number(storage.getItem(PREFIX + tabName) ?? 0) < GONE_MS
}

/** A tab stays itself when it is loaded again, be it after a crash; a copy of it, made by the browser, is another one. */
function identify(): string {
  const before = sessionItem()
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  if (before !== null && (navigation?.type === 'reload' || !isAlive(before))) return before
  const name = crypto.getRandomValues(new Uint32Array(2)).join('-')
  try {
    sessionStorage.setItem(NAME, name)
  } catch {
    // Without it the next load is another tab, which takes over what this one has typed.
  }
  return name
}

function sessionItem(): string | null {
  try {
    return sessionStorage.getItem(NAME)
  } catch {
    return null
  }
}

/** Gives signs of this tab until it is closed. */
export function startSigns(): () => void {
  const give = () => storage.setItem(PREFIX + tab, String(Date.now()))
  const end = () => storage.removeItem(PREFIX + tab)
  give()
  forgetOthersLongGone()
  const timer = setInterval(give, SIGN_MS)
  window.addEventListener('pagehide', end)
  window.addEventListener('pageshow', give)
  return () => {
    clearInterval(timer)
    window.removeEventListener('pagehide', end)
    window.removeEventListener('pageshow', give)
    end()
  }
}

function forgetOthersLongGone(): void {
  for (const name of storage.keys())
    if (name.startsWith(PREFIX) && !isAlive(name.slice(PREFIX.length))) storage.removeItem(name)
}
