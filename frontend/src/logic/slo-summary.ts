/** How the SLOs of an application are kept, in two words. */
interface Judged {
  kept: number
  judged: number
}

/** Null where no query has an SLO. */
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
