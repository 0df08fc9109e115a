/** How well the SLOs of an application are kept, in two words for the list of applications. */

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
