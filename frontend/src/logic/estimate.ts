/** How a predicted latency is said. It is an estimate: "≤" alone is said of what is proved. */
import { formatMs } from '../units'

export interface Estimate {
  /** Of the profile's median interval. */
  typical_p99_ms: number
  /** What the p99 stays below in 9 of 10 cases, where that is known. */
  conservative_p99_ms: number | null
}

/** `≈ 48 ms (9 of 10 ≤ 61 ms)` */
export function estimateText({ typical_p99_ms, conservative_p99_ms }: Estimate): string {
  return conservative_p99_ms === null
    ? aboutMs(typical_p99_ms)
    : `${aboutMs(typical_p99_ms)} (9 of 10 ≤ ${formatMs(conservative_p99_ms)})`
}

/** `≈ 48 ms`, and a dash for what is not predicted. */
export function aboutMs(milliseconds: number | null | undefined): string {
  const text = formatMs(milliseconds)
  return text === '–' ? text : `≈ ${text}`
}

/** `worst of 3 intervals ≈ 460 ms`; of one interval there is no worst. */
export function worstText(worstMs: number, intervals: number): string | null {
  return intervals > 1 ? `worst of ${intervals} intervals ${aboutMs(worstMs)}` : null
}
