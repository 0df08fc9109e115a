/** The geometry of a curve of latency along one limit, both axes by the logarithm. */

export interface CurvePoint {
  value: number
  /** null where it is too far beyond what was measured. */
  latencyMs: number | null
  /** What holds in 9 of 10 cases, where that is known. */
  upperMs: number | null
  state: string
  isKept: boolean
}

export interface Span {
  low: number
  high: number
}

/** The latencies that a curve and its SLO need room for; an SLO far above all of them is left out. */
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

/** Where an arrow, Home or End leads along the points. */
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
