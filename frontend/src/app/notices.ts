/**
 * Short messages at the edge of the window; they are read out. Errors stay until they are dismissed, others leave by
 * themselves, but not while somebody points at them or has the focus there. What has left can be read again, and what it
 * offered can be done later.
 */
import { create } from 'zustand'

export interface Notice {
  id: number
  tone: 'info' | 'success' | 'danger'
  text: string
  at: Date
  /** What it is about: what an earlier notice of the same offered is not offered any more. */
  subject?: string
  action?: { label: string; run: () => void } | undefined
}

/** `shown` are those in sight, of `all` that are kept, the oldest first. */
export const useNotices = create<{ all: readonly Notice[]; shown: readonly number[] }>(() => ({ all: [], shown: [] }))

const IN_SIGHT_MS = 6000
const WITH_ACTION_MS = 15_000
const MOST_IN_SIGHT = 3
const MOST_KEPT = 50

let lastId = 0
const timers = new Map<number, ReturnType<typeof setTimeout>>()
let isHeld = () => false

export function notify(notice: Omit<Notice, 'id' | 'at'>): number {
  lastId += 1
  const id = lastId
  useNotices.setState(({ all, shown }) => ({
    all: [
      ...all.slice(1 - MOST_KEPT).map((earlier) => withoutAction(earlier, notice.subject)),
      { ...notice, id, at: new Date() },
    ],
    shown: [...shown, id],
  }))
  makeRoom()
  waitFor(id)
  return id
}

/** Takes a notice out of sight; it is kept among the earlier ones. */
export function dismiss(id: number): void {
  clearTimeout(timers.get(id))
  timers.delete(id)
  useNotices.setState(({ shown }) => ({ shown: shown.filter((shownId) => shownId !== id) }))
}

/** Does what a notice offers, which it then offers no longer. */
export function act(id: number): void {
  const notice = useNotices.getState().all.find((entry) => entry.id === id)
  dismiss(id)
  useNotices.setState(({ all }) => ({
    all: all.map((entry) => (entry.id === id ? { ...entry, action: undefined } : entry)),
  }))
  notice?.action?.run()
}

/** Says how to find out whether somebody is reading: no notice leaves meanwhile. */
export function holdWhile(isRead: () => boolean): void {
  isHeld = isRead
}

/** Gives all in sight their whole time again: somebody has read there until now. */
export function releaseNotices(): void {
  for (const id of useNotices.getState().shown) waitFor(id)
}

function waitFor(id: number): void {
  clearTimeout(timers.get(id))
  const notice = useNotices.getState().all.find((entry) => entry.id === id)
  if (!notice || notice.tone === 'danger') return
  const leave = () => (isHeld() ? waitFor(id) : dismiss(id))
  timers.set(id, setTimeout(leave, notice.action ? WITH_ACTION_MS : IN_SIGHT_MS))
}

/** An error is the last to go out of sight. */
function makeRoom(): void {
  const { all, shown } = useNotices.getState()
  if (shown.length <= MOST_IN_SIGHT) return
  const leaving = all.find(({ id, tone }) => tone !== 'danger' && shown.slice(0, -1).includes(id))
  dismiss(leaving?.id ?? shown[0] ?? 0)
}

function withoutAction(earlier: Notice, subject: string | undefined): Notice {
  return subject !== undefined && earlier.subject === subject ? { ...earlier, action: undefined } : earlier
}
