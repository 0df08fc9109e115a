/** Two profile runs side by side: how much longer each operator took in one than in the other. */

interface Summary {
  operator: string
  points: number
  p99_ms: number
}

interface Run {
  settings: { grid: string }
  operators_summary: readonly Summary[]
}

/** p99 of each operator against the other run's, where both measured the same points of the same grid. */
export function timesAsLong(run: Run, other: Run): ReadonlyMap<string, number> {
  if (run.settings.grid !== other.settings.grid) return new Map()
  const before = new Map(other.operators_summary.map((each) => [each.operator, each]))
  return new Map(
    run.operators_summary.flatMap(({ operator, points, p99_ms }): [string, number][] => {
      const same = before.get(operator)
      return same && same.points === points && same.p99_ms > 0 ? [[operator, p99_ms / same.p99_ms]] : []
    }),
  )
}
