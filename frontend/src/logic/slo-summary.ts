/** How well the SLOs of an application are kept, in two words for the list of applications. */

/** For one SLO: how many intervals had enough executions to be judged, and how many of them kept it. */
interface Judged {
  kept: number
  judged: number
}

/** `2 of 5 broken` if an SLO was broken in any interval, else `5 kept`; null if no query has an SLO. */
export function sloSummary(
  judgements: readonly Judged[],
): { text: string; tone: 'plain' | 'accent' | 'danger' } | null {
  const judged = judgements.filter((judgement) => judgement.judged > 0)
  const broken = judged.filter((judgement) => judgement.kept < judgement.judged).length
  if (judgements.length === 0) return null
  if (broken > 0) return { text: `${broken} of ${judgements.length} broken`, tone: 'danger' }
  if (judged.length === 0) return { text: 'too few executions to tell', tone: 'plain' }
  return { text: judged.length === 1 ? '1 kept' : `${judged.length} kept`, tone: 'accent' }
}
