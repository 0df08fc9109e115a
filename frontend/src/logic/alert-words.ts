/** What the page of alerts says: is something wrong, for how long, and what to do about it. */
import { formatDay, formatDuration, plural } from '../units'

export interface Firing {
  kind: string
  query: string
  at: string
  is_silenced: boolean
  delivered_to: readonly string[]
  waits_for: readonly string[]
}

/** The kinds of alerts, the worst first. */
export const ALERT_KINDS = [
  'over-bound',
  'limit-passed',
  'dangling-entry',
  'burning',
  'slower',
  'kept-less',
  'unusual',
] as const
type AlertKind = (typeof ALERT_KINDS)[number]

export const KIND_WORDS: Readonly<Record<AlertKind, string>> = {
  'over-bound': 'over its bound',
  'limit-passed': 'limit passed',
  'dangling-entry': 'entry without record',
  burning: 'burning its budget',
  slower: 'slower than predicted',
  'kept-less': 'SLO kept less than predicted',
  unusual: 'unlike its own past',
}

const ADVICE: Readonly<Record<AlertKind, string>> = {
  'over-bound': 'Roll back to a version without incidents, and report the plan: a bound is proven.',
  'limit-passed': 'Delete rows of the fullest groups, or deploy a higher limit: rows beyond the limit are left out.',
  'dangling-entry': 'Restore the record, or dump the store and load it into a new one: its row is left out.',
  burning: 'See since when it is slow. If a deployment began it, roll back; else look at the load and the store.',
  slower: 'Measure the store again. If the new profile agrees, the store is slower: look at its health.',
  'kept-less':
    'See in the dashboard which sizes ran. Then measure the store again: if the profile agrees, the store is slower.',
  unusual: 'See in its details since when, and what was deployed then. If nothing was, look at the load and the store.',
}

function isKind(kind: string): kind is AlertKind {
  return ALERT_KINDS.some((known) => known === kind)
}

/** The words for a kind, also for one of an earlier version. */
export function kindText(kind: string): string {
  return isKind(kind) ? KIND_WORDS[kind] : kind
}

/** What to do about it. */
export function adviceOf(kind: string): string {
  return isKind(kind) ? ADVICE[kind] : ''
}

/** What is wrong, the worst first; of one kind that which is wrong for longest. What a silence covers is last. */
export function ranked<A extends Firing>(firing: readonly A[]): A[] {
  const severity = ({ kind }: A) => (isKind(kind) ? ALERT_KINDS.indexOf(kind) : ALERT_KINDS.length)
  return firing.toSorted(
    (a, b) =>
      Number(a.is_silenced) - Number(b.is_silenced) ||
      severity(a) - severity(b) ||
      a.at.localeCompare(b.at) ||
      a.query.localeCompare(b.query),
  )
}

/** `for 2 h 5 min`, or days where it is more than two. */
export function lastingText(since: string, now: Date): string {
  const seconds = Math.max(0, (now.getTime() - new Date(since).getTime()) / 1000)
  const days = Math.floor(seconds / 86_400)
  return `for ${days > 2 ? plural(days, 'day') : seconds < 60 ? 'less than a minute' : formatDuration(Math.floor(seconds / 60) * 60)}`
}

/** Who has been told: `told by webhook, waits for mail`. */
export function toldText({ is_silenced, delivered_to, waits_for }: Firing): string {
  const parts = [
    delivered_to.length > 0 ? `told by ${delivered_to.join(' and ')}` : '',
    is_silenced ? 'silenced' : waits_for.length > 0 ? `waits for ${waits_for.join(' and ')}` : '',
  ]
  return parts.filter(Boolean).join(', ') || 'told to nobody'
}

interface Silence {
  kind: string | null
  query: string | null
  reason: string
  until: string
}

/**
 * Until when a silence covers something, and why; of several the last to end. Empty without one. What was told before it
 * was silenced is not sent again at the end.
 */
export function silenceText({ kind, query, is_silenced }: Firing, silences: readonly Silence[]): string {
  const [last] = silences
    .filter((silence) => (silence.kind ?? kind) === kind && (silence.query ?? query) === query)
    .toSorted((a, b) => b.until.localeCompare(a.until))
  if (!last) return ''
  const reason = last.reason.replace(/[.\s]+$/, '')
  const after = is_silenced ? ' If it is still wrong then, it is sent.' : ''
  return `Silenced until ${formatDay(last.until)}: ${reason}.${after}`
}

/** The one thing that the page says. */
export function headline(
  firing: readonly Firing[],
  isWatched: boolean,
  now: Date,
): { tone: 'danger' | 'warning' | 'accent'; text: string } {
  const loud = firing.filter((alert) => !alert.is_silenced)
  if (!isWatched) return { tone: 'warning', text: 'Nothing is watched: no receiver is set, so nobody would be told.' }
  const [first] = loud.toSorted((a, b) => a.at.localeCompare(b.at))
  const silenced = firing.length - loud.length
  if (!first) {
    const rest = silenced > 0 ? `, apart from ${plural(silenced, 'alert')} that a silence covers` : ''
    return { tone: 'accent', text: `Nothing is wrong${rest}.` }
  }
  const longest = loud.length > 1 ? `, the longest ${lastingText(first.at, now)}` : ` ${lastingText(first.at, now)}`
  return { tone: 'danger', text: `${plural(loud.length, 'thing has been wrong', 'things have been wrong')}${longest}.` }
}

/** What a silence covers: `burning its budget of findUser`, `everything`. */
export function coverText({ kind, query }: { kind: string | null; query: string | null }): string {
  if (kind === null) return query === null ? 'everything' : `everything of ${query}`
  return `${kindText(kind)}, ${query ?? 'any query'}`
}
