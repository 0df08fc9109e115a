/**
 * The build of a version (filling its indexes, checking its constraints): whether it goes on, how far it is, and in
 * words.
 */
import { formatCount } from '../units'

interface Build {
  phase: 'filling' | 'checking' | 'canary' | 'closing' | 'in force' | 'refused' | 'cancelled'
  rows_done: number
  rows_estimate: number
  is_paused: boolean
  is_running: boolean
  reason: string | null
  deployment_id: string | null
}

/** When a refused build was started, and the version of the text when the page first heard of the refusal. */
export interface SeenRefusal {
  startedAt: string
  textVersion: number
}

/** Whether a refusal is still worth showing: not after the text has changed, and not once a later version is live. */
export function isRefusalOfNow(seen: SeenRefusal | null, textVersion: number, liveSince: string | null): boolean {
  return (
    seen !== null &&
    seen.textVersion === textVersion &&
    (liveSince === null || Date.parse(liveSince) <= Date.parse(seen.startedAt))
  )
}

/** Whether a build goes on. A version whose constraints are in force also counts until the server has made it live. */
export function isUnderWay(build: Build): boolean {
  if (build.phase === 'in force') return build.deployment_id === null
  return build.phase === 'filling' || build.phase === 'checking'
}

/** How far a build is, from 0 to 1. */
export function shareDone(build: Build): number {
  if (build.phase === 'in force') return 1
  return build.rows_estimate > 0 ? Math.min(1, build.rows_done / build.rows_estimate) : 0
}

/** `Filling new indexes: 1,200 of about 3,000 rows.` */
export function describeBuild(build: Build): string {
  const activity = build.phase === 'checking' ? 'Checking existing rows against new constraints' : 'Filling new indexes'
  const rows = `${formatCount(build.rows_done)} of about ${formatCount(build.rows_estimate)} rows`
  const rest = build.is_paused
    ? ' It is paused.'
    : build.is_running || build.phase === 'in force'
      ? ''
      : build.reason
        ? ` It stopped: ${build.reason}. Resume it once that is mended.`
        : ' Nobody works on it: resume it.'
  return `${activity}: ${rows}.${rest}`
}
