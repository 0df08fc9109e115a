/** The geometry of a curve of latency along one limit; both axes are logarithmic. */

export interface CurvePoint {
  /** The value of the limit. */
  value: number
  /** null if the value is too far beyond what was measured. */
  latencyMs: number | null
  /** The latency that 9 of 10 cases stay below, if it is known. */
  upperMs: number | null
  /** `measured`, `interpolated`, `extrapolated` or `refused`. */
  state: string
  /** Whether the point keeps the SLO. */
  isKept: boolean
}

/** The ends of an axis, in milliseconds. */
export interface Span {
  low: number
  high: number
}

/**
 * The latencies to make room for: those of the curve, and the SLO if it is within a factor of 10 of them, with a
 * margin.
 */
export function latencySpan(points: readonly CurvePoint[], sloMs: number): Span {
  const values = points
    .flatMap((point) => [point.latencyMs, point.upperMs])
    .filter((value): value is number => value !== null && value > 0)
  const most = values.length > 0 ? Math.max(...values) : 1
  const least = values.length > 0 ? Math.min(...values) : 1
  const isInReach = sloMs >= least / 10 && sloMs <= most * 10
  return {
    low: (isInReach ? Math.min(least, sloMs) : least) * 0.8,
    high: (isInReach ? Math.max(most, sloMs) : most) * 1.25,
  }
}

/** The index of the point that an arrow, Home or End leads to; undefined for other keys. */
export function movePoint(index: number, key: string, count: number): number | undefined {
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowDown':
      return Math.max(0, index - 1)
    case 'ArrowRight':
    case 'ArrowUp':
      return Math.min(count - 1, index + 1)
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return undefined
  }
}
