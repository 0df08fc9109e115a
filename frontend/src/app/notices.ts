/**
 * Short messages at the edge of the window, which screen readers read out. Errors stay until they are dismissed. Others
 * vanish after seconds, but not while the pointer or the focus is on them. All can be read again in `EarlierNotices`,
 * and the action that one offers can be taken there later.
 */
import { create } from 'zustand'

export interface Notice {
  id: number
  tone: 'info' | 'success' | 'danger'
  text: string
  at: Date
  /**
   * What the notice is about. A newer notice of the same subject takes older ones out of sight, and their action away:
   * an error must not stay beside the success that followed.
   */
  subject?: string
  action?: { label: string; run: () => void } | undefined
}

/** `all` are the notices that are kept, the oldest first; `shown` are the ids of those in sight. */
export const useNotices = create<{ all: readonly Notice[]; shown: readonly number[] }>(() => ({ all: [], shown: [] }))

const IN_SIGHT_MS = 6000
/** A notice with an action stays longer, so that there is time to reach it. */
const WITH_ACTION_MS = 15_000
const MOST_IN_SIGHT = 3
const MOST_KEPT = 50

let lastId = 0
const timers = new Map<number, ReturnType<typeof setTimeout>>()
let isHeld = () => false

/** Shows a notice and returns its id, for `dismiss`. */
export function notify(notice: Omit<Notice, 'id' | 'at'>): number {
  if (notice.subject) dismissAbout(notice.subject)
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

/** Takes all notices of a subject out of sight, such as an error that is over. */
export function dismissAbout(subject: string): void {
  const { all, shown } = useNotices.getState()
  for (const notice of all) if (notice.subject === subject && shown.includes(notice.id)) dismiss(notice.id)
}

/** Takes the action of a notice, once: the notice then has none. */
export function act(id: number): void {
  const notice = useNotices.getState().all.find((entry) => entry.id === id)
  dismiss(id)
  useNotices.setState(({ all }) => ({
    all: all.map((entry) => (entry.id === id ? { ...entry, action: undefined } : entry)),
  }))
  notice?.action?.run()
}

/** Sets the function that tells whether somebody is reading; no notice vanishes while it returns true. */
export function holdWhile(isRead: () => boolean): void {
  isHeld = isRead
}

/** Gives all notices in sight their full time again, for use when somebody stops reading. */
export function releaseNotices(): void {
  for (const id of useNotices.getState().shown) waitFor(id)
}

/** Lets a notice vanish after its time; an error never does. */
function waitFor(id: number): void {
  clearTimeout(timers.get(id))
  const notice = useNotices.getState().all.find((entry) => entry.id === id)
  if (!notice || notice.tone === 'danger') return
  const leave = () => (isHeld() ? waitFor(id) : dismiss(id))
  timers.set(id, setTimeout(leave, notice.action ? WITH_ACTION_MS : IN_SIGHT_MS))
}

/** Takes the oldest notice out of sight when there are too many, an error only if there is nothing else. */
function makeRoom(): void {
  const { all, shown } = useNotices.getState()
  if (shown.length <= MOST_IN_SIGHT) return
  const leaving = all.find(({ id, tone }) => tone !== 'danger' && shown.slice(0, -1).includes(id))
  dismiss(leaving?.id ?? shown[0] ?? 0)
}

function withoutAction(earlier: Notice, subject: string | undefined): Notice {
  return subject !== undefined && earlier.subject === subject ? { ...earlier, action: undefined } : earlier
}
