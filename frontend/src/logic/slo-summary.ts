/** What the list of applications says of one in two words: what is in danger, else how well its SLOs are kept. */
import { compare, type QueryLatency } from './latency-comparison'
import { countsOf } from './shown-queries'

/** For one SLO: how many intervals had enough executions to be judged, and how many of them kept it. */
interface Judged {
  kept: number
  judged: number
}

interface Measured {
  executions: number
  /** null without an SLO. */
  compliance: Judged | null
}

/**
 * `2 in danger` as in its dashboard, also without an SLO: a query that fails has none to break. Else how its SLOs are kept.
 */
export function dangerSummary(queries: readonly (Measured & QueryLatency)[]): ReturnType<typeof sloSummary> {
  const { danger } = countsOf(queries.map((query) => compare(query)))
  const broken = sloSummary(queries)
  return danger > 0 && broken.tone !== 'danger' ? { text: `${danger} in danger`, tone: 'danger' } : broken
}

/** `2 of 5 broken` if an SLO was broken in any interval, else `5 kept`; why neither can be said if nothing was judged. */
export function sloSummary(queries: readonly Measured[]): { text: string; tone: 'plain' | 'accent' | 'danger' } {
  const judgements = queries.flatMap(({ compliance }) => compliance ?? [])
  const judged = judgements.filter((judgement) => judgement.judged > 0)
  const broken = judged.filter((judgement) => judgement.kept < judgement.judged).length
  if (queries.every(({ executions }) => executions === 0)) return { text: 'no executions yet', tone: 'plain' }
  if (judgements.length === 0) return { text: 'no SLO', tone: 'plain' }
  if (broken > 0) return { text: `${broken} of ${judgements.length} broken`, tone: 'danger' }
  if (judged.length === 0) return { text: 'too few executions to tell', tone: 'plain' }
  return { text: judged.length === 1 ? '1 kept' : `${judged.length} kept`, tone: 'accent' }
}
