/**
 * The name of this tab of the browser, and which other tabs are open. Drafts belong to a tab; those of a closed tab are
 * taken over by another (logic/drafts.ts).
 *
 * An open tab holds a lock of the browser, which ends with the tab, however it ends. A browser has no locks for a page
 * that came by plain HTTP from another machine. So each tab also writes the time into the storage that they share, every
 * few seconds, and takes it back when it is closed; a tab that crashed cannot do that.
 */
import { browserStorage as storage } from '../app/browser-storage'

const NAME = 'piql:tab'
const PREFIX = 'piql:tab:'
const SIGN_MS = 4000
/** A tab without a sign for so long is taken for closed: the timers of a hidden tab run once a minute. */
const GONE_MS = 90_000

/** The name of this tab. */
export const tab: string = identify()

/** The tabs that held their lock at the last two `readOpenTabs`, the last one first; null where there are no locks. */
let lockHolders: readonly [ReadonlySet<string>, ReadonlySet<string>] | null = null

/** Asks the browser which tabs are open. */
export async function readOpenTabs(): Promise<void> {
  if (!('locks' in navigator)) return
  const { held = [] } = await navigator.locks.query()
  const names = held.flatMap(({ name }) => (name?.startsWith(PREFIX) ? [name.slice(PREFIX.length)] : []))
  lockHolders = [new Set(names), lockHolders?.[0] ?? new Set()]
}

/**
 * Whether a tab was open at the last `readOpenTabs`, or at the one before: while a tab is reloaded, it has no lock. Where
 * there are no locks, whether it has given a sign lately.
 */
export function isAlive(tabName: string): boolean {
  return lockHolders ? lockHolders.some((names) => names.has(tabName)) : hasSign(tabName)
}

function hasSign(tabName: string): boolean {
  return Date.now() - Number(storage.getItem(PREFIX + tabName) ?? 0) < GONE_MS
}

/**
 * The name that the tab had before it was reloaded, or a new one. A duplicated tab starts with the name of its original,
 * which is alive, so it takes a new one.
 */
function identify(): string {
  const nameBefore = sessionItem()
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  if (nameBefore !== null && (navigation?.type === 'reload' || !hasSign(nameBefore))) return nameBefore
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

/** Holds the lock of this tab and gives its signs until it is closed, or the returned function is called. */
export function startSigns(): () => void {
  const closing = new AbortController()
  if ('locks' in navigator) void navigator.locks.request(PREFIX + tab, () => aborted(closing.signal))
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
    closing.abort()
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

function removeSignsOfClosedTabs(): void {
  for (const name of storage.keys())
    if (name.startsWith(PREFIX) && !hasSign(name.slice(PREFIX.length))) storage.removeItem(name)
}
