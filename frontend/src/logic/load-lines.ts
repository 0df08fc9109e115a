/** The seconds of a load run as the lines of its charts, of all queries together or of one. */

interface Called {
  calls: number
  errors: number
  refused: number
  p50_ms: number | null
  p99_ms: number | null
}

/** One second of a load run, as the server sends it. */
export interface LoadedSecond {
  at: number
  asked: number | null
  done: number
  errors: number
  refused: number
  window_p50_ms: number | null
  window_p99_ms: number | null
  queries: readonly (Called & { query: string })[]
}

/** The choice of all queries together. */
export const ALL = ''

/** One second of the chosen queries; times are those of the last ten seconds, in ms, and the rest is by the second. */
export interface LoadPoint {
  at: number
  asked: number | null
  done: number
  errors: number
  refused: number
  p50: number | null
  p99: number | null
}

/** The points of the charts. What was asked is known of all queries together. */
export function loadPoints(seconds: readonly LoadedSecond[], query: string): LoadPoint[] {
  return seconds.map((second, index) => {
    if (query === ALL) {
      const { at, asked, done, errors, refused, window_p50_ms, window_p99_ms } = second
      return { at, asked, done, errors: errors - refused, refused, p50: window_p50_ms, p99: window_p99_ms }
    }
    const of = second.queries.find((candidate) => candidate.query === query)
    const passed = Math.max(second.at - (seconds[index - 1]?.at ?? 0), 1e-9)
    const { calls = 0, errors = 0, refused = 0, p50_ms: p50 = null, p99_ms: p99 = null } = of ?? {}
    return { at: second.at, asked: null, done: calls / passed, errors: errors - refused, refused, p50, p99 }
  })
}
