/** Compares two profile runs: how much longer each operator took in one than in the other. */

interface Summary {
  operator: string
  points: number
  p99_ms: number
}

interface Run {
  settings: { grid: string; levels: unknown }
  operators_summary: readonly Summary[]
}

/** The grid of a run that was made of a log. Which points the log has is not known here. */
export const IMPORTED = 'imported'

/**
 * Whether two runs are known to have measured the same points. Users' own grids have the same name and differ in their
 * levels.
 */
export function isSameGrid(run: Run, other: Run): boolean {
  return (
    run.settings.grid !== IMPORTED &&
    run.settings.grid === other.settings.grid &&
    JSON.stringify(run.settings.levels) === JSON.stringify(other.settings.levels)
  )
}

/** Whether a factor is worth a look. Factors between 0.8 and 1.25 are usual between two runs of the same store. */
export function direction(factor: number): 'slower' | 'faster' | 'alike' {
  return factor >= 1.25 ? 'slower' : factor <= 0.8 ? 'faster' : 'alike'
}

/** By operator, its p99 divided by the other run's; only operators of which both runs measured the same points. */
export function timesAsLong(run: Run, other: Run): ReadonlyMap<string, number> {
  if (!isSameGrid(run, other)) return new Map()
  const before = new Map(other.operators_summary.map((summary) => [summary.operator, summary]))
  return new Map(
    run.operators_summary.flatMap(({ operator, points, p99_ms }): [string, number][] => {
      const same = before.get(operator)
      return same && same.points === points && same.p99_ms > 0 ? [[operator, p99_ms / same.p99_ms]] : []
    }),
  )
}
