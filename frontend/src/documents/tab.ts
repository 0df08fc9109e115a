/**
 * The name of this tab of the browser, and which other tabs are open. Each tab writes the time into the storage that they
 * share, every few seconds. Drafts belong to a tab; those of a closed tab are taken over by another (logic/drafts.ts).
 */
import { browserStorage as storage } from '../app/browser-storage'

const NAME = 'piql:tab'
const PREFIX = 'piql:tab:'
const SIGN_MS = 4000
/** A tab without a sign for so long is taken for closed. It may only be asleep: then two tabs hold its drafts. */
const GONE_MS = 15_000

/** The name of this tab. */
export const tab: string = identify()

/** Whether a tab has given a sign lately. */
export function isAlive(tabName: string): boolean {
  return Date.now() - Number(storage.getItem(PREFIX + tabName) ?? 0) < GONE_MS
}

/**
 * The name that the tab had before it was reloaded, or a new one. A duplicated tab starts with the name of its original,
 * which is alive, so it takes a new one.
 */
function identify(): string {
  const nameBefore = sessionItem()
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  if (nameBefore !== null && (navigation?.type === 'reload' || !isAlive(nameBefore))) return nameBefore
  const name = crypto.getRandomValues(new Uint32Array(2)).join('-')
  try {
    sessionStorage.setItem(NAME, name)
  } catch {
    // Without session storage, the page is another tab after a reload, and takes over the drafts of this one.
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

/** Gives signs of this tab until it is closed, or the returned function is called. */
export function startSigns(): () => void {
  const giveSign = () => storage.setItem(PREFIX + tab, String(Date.now()))
  const removeSign = () => storage.removeItem(PREFIX + tab)
  giveSign()
  removeSignsOfClosedTabs()
  const timer = setInterval(giveSign, SIGN_MS)
  window.addEventListener('pagehide', removeSign)
  window.addEventListener('pageshow', giveSign)
  return () => {
    clearInterval(timer)
    window.removeEventListener('pagehide', removeSign)
    window.removeEventListener('pageshow', giveSign)
    removeSign()
  }
}

function removeSignsOfClosedTabs(): void {
  for (const name of storage.keys())
    if (name.startsWith(PREFIX) && !isAlive(name.slice(PREFIX.length))) storage.removeItem(name)
}
