/** What a version on its way is to people: whether it still is, how far it has come, and the words for it. */
import { formatCount } from '../units'

interface Build {
  phase: 'filling' | 'checking' | 'in force' | 'refused' | 'cancelled'
  rows_done: number
  rows_estimate: number
  is_paused: boolean
  is_running: boolean
  deployment_id: string | null
}

/** The start of a build that was refused, and the text when it was first seen to be. */
export interface SeenRefusal {
  startedAt: string
  textVersion: number
}

/** Whether a refusal still says anything: not once the text is another, or a version begun later is live. */
export function isRefusalOfNow(seen: SeenRefusal | null, textVersion: number, liveSince: string | null): boolean {
  return (
    seen !== null &&
    seen.textVersion === textVersion &&
    (liveSince === null || Date.parse(liveSince) <= Date.parse(seen.startedAt))
  )
}

/** Also when it is in force but not yet live: then the server is about to say so. */
export function isUnderWay(build: Build): boolean {
  if (build.phase === 'in force') return build.deployment_id === null
  return build.phase === 'filling' || build.phase === 'checking'
}

export function shareDone(build: Build): number {
  if (build.phase === 'in force') return 1
  return build.rows_estimate > 0 ? Math.min(1, build.rows_done / build.rows_estimate) : 0
}

/** `Filling new indexes: 1,200 of about 3,000 rows.` */
export function describeBuild(build: Build): string {
  const what = build.phase === 'checking' ? 'Checking existing rows against new constraints' : 'Filling new indexes'
  const rows = `${formatCount(build.rows_done)} of about ${formatCount(build.rows_estimate)} rows`
  const rest = build.is_paused
    ? ' It is paused.'
    : build.is_running || build.phase === 'in force'
      ? ''
      : ' Nobody works on it: resume it.'
  return `${what}: ${rows}.${rest}`
}
