/**
 * Predicted latencies in words. They are estimates, so they are marked with `≈`; a bare `≤` is for proven bounds only.
 */
import { formatMs } from '../units'

export interface Estimate {
  /** The p99 of the profile's median interval. */
  typical_p99_ms: number
  /** The value that the p99 stays below in 9 of 10 cases, if it is known. */
  conservative_p99_ms: number | null
}

/** `≈ 48 ms (9 of 10 ≤ 61 ms)` */
export function estimateText({ typical_p99_ms, conservative_p99_ms }: Estimate): string {
  return conservative_p99_ms === null
    ? aboutMs(typical_p99_ms)
    : `${aboutMs(typical_p99_ms)} (9 of 10 ≤ ${formatMs(conservative_p99_ms)})`
}

/** `≈ 48 ms`, or a dash without a prediction. */
export function aboutMs(milliseconds: number | null | undefined): string {
  const text = formatMs(milliseconds)
  return text === '–' ? text : `≈ ${text}`
}

/** `worst of 3 intervals ≈ 460 ms`; null if there is only one interval. */
export function worstText(worstMs: number, intervals: number): string | null {
  return intervals > 1 ? `worst of ${intervals} intervals ${aboutMs(worstMs)}` : null
}
