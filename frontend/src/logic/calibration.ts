/** How well latencies are predicted over all queries: whether predictions are too low or too high, in words. */
import { formatCount } from '../units'

interface Outcomes {
  slower: number
  faster: number
  agrees: number
  undecided: number
  too_few: number
}

interface QueryLatency {
  agreement: { outcome: 'too few' | 'slower' | 'faster' | 'agrees' | 'undecided' } | null
  sizes: readonly { executions: number; p99_ms: number; predicted: { typical_p99_ms: number } | null }[]
}

export interface CalibrationLine {
  outcomes: Outcomes
  ratio: number | null
  least_ratio: number | null
  most_ratio: number | null
  /** How many executions or samples there are. */
  samples: number
}

export type CalibrationVerdict = 'too low' | 'too high' | 'both' | 'fits' | 'not known'

const EXECUTIONS_FOR_P99 = 100

/** Whole queries as one line: the verdict of each, and observed by predicted p99 of each size with executions enough. */
export function lineOfQueries(queries: readonly QueryLatency[]): CalibrationLine | null {
  const outcomes = { slower: 0, faster: 0, agrees: 0, undecided: 0, too_few: 0 }
  const ratios: number[] = []
  let samples = 0
  for (const { agreement, sizes } of queries) {
    if (!agreement) continue
    outcomes[agreement.outcome === 'too few' ? 'too_few' : agreement.outcome] += 1
    for (const { executions, p99_ms, predicted } of sizes) {
      if (!predicted) continue
      samples += executions
      if (executions >= EXECUTIONS_FOR_P99) ratios.push(p99_ms / predicted.typical_p99_ms)
    }
  }
  if (Object.values(outcomes).every((count) => count === 0)) return null
  ratios.sort((a, b) => a - b)
  return {
    outcomes,
    samples,
    ratio: median(ratios),
    least_ratio: ratios[0] ?? null,
    most_ratio: ratios.at(-1) ?? null,
  }
}

/** What executions say of predictions: slower ones than predicted were predicted too low. */
export function calibrationVerdict({ slower, faster, agrees }: Outcomes): CalibrationVerdict {
  if (slower > 0 && faster > 0) return 'both'
  if (slower > 0) return 'too low'
  if (faster > 0) return 'too high'
  return agrees > 0 ? 'fits' : 'not known'
}

/** The verdicts as a count of each, such as `2 too low, 3 as predicted`. */
export function outcomesText(outcomes: Outcomes): string {
  const parts = [
    [outcomes.slower, 'too low'],
    [outcomes.faster, 'too high'],
    [outcomes.agrees, 'as predicted'],
    [outcomes.undecided, 'undecided'],
    [outcomes.too_few, 'too few'],
  ] as const
  return parts
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${formatCount(count)} ${word}`)
    .join(', ')
}

/** How many times as long as predicted: `1.4 ×`, with two digits that tell something. */
export function ratioText(ratio: number | null): string {
  return ratio === null ? '–' : `${Number(ratio.toPrecision(2))} ×`
}

function median(sorted: readonly number[]): number | null {
  const low = sorted[(sorted.length - 1) >> 1]
  const high = sorted[sorted.length >> 1]
  return low === undefined || high === undefined ? null : (low + high) / 2
}
