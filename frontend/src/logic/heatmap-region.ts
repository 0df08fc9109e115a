/** A rectangle of cells of a heatmap: what is in it, and the values of the axes that look closer at it. */
import type { CellIndex, Grid } from './heatmap'

/** Between two values of each axis, both included. */
export interface Region {
  x1: number
  y1: number
  x2: number
  y2: number
}

export interface RegionSummary {
  cells: number
  kept: number
  /** Cells that are too far beyond what was measured. */
  unknown: number
  /** The least and the most milliseconds of a cell; null if no cell has a number. */
  range: { low: number; high: number } | null
  /** Of the cells that keep the SLO the one with the largest product of its limits. */
  largest: CellIndex | null
}

/** The region between two cells, in whichever direction it was drawn. */
export function regionBetween(grid: Pick<Grid, 'xs' | 'ys'>, one: CellIndex, other: CellIndex): Region {
  const xs = [grid.xs[one.column] ?? 0, grid.xs[other.column] ?? 0]
  const ys = [grid.ys[one.row] ?? 0, grid.ys[other.row] ?? 0]
  return { x1: Math.min(...xs), y1: Math.min(...ys), x2: Math.max(...xs), y2: Math.max(...ys) }
}

/** The first and the last cell of a grid that lie in a region; null if none does. */
export function cornersOf(
  grid: Pick<Grid, 'xs' | 'ys'>,
  { x1, y1, x2, y2 }: Region,
): { first: CellIndex; last: CellIndex } | null {
  const columns = indexesBetween(grid.xs, x1, x2)
  const rows = indexesBetween(grid.ys, y1, y2)
  return columns && rows
    ? { first: { column: columns[0], row: rows[0] }, last: { column: columns[1], row: rows[1] } }
    : null
}

/** Counts what the cells between two corners are. */
export function summaryOf(grid: Grid, { first, last }: { first: CellIndex; last: CellIndex }): RegionSummary {
  const summary: RegionSummary = { cells: 0, kept: 0, unknown: 0, range: null, largest: null }
  let most = 0
  for (let row = first.row; row <= last.row; row += 1) {
    for (let column = first.column; column <= last.column; column += 1) {
      summary.cells += 1
      const p99 = grid.p99[row]?.[column] ?? null
      if (p99 === null) {
        summary.unknown += 1
        continue
      }
      const { low, high } = summary.range ?? { low: p99, high: p99 }
      summary.range = { low: Math.min(low, p99), high: Math.max(high, p99) }
      if (!grid.meets[row]?.[column]) continue
      summary.kept += 1
      const product = (grid.xs[column] ?? 0) * (grid.ys[row] ?? 0)
      if (product > most) {
        most = product
        summary.largest = { column, row }
      }
    }
  }
  return summary
}

/** The most values of an axis that is looked at closer. */
const MOST_VALUES = 14

/** Whole numbers from `low` to `high`, in about equal ratios, with the limit of the text if it lies between. */
export function closerValues(low: number, high: number, current: number): number[] {
  const steps = Math.min(MOST_VALUES, high - low + 1) - 1
  const values = new Set(
    Array.from({ length: steps + 1 }, (_, step) =>
      Math.round(low > 0 ? low * (high / low) ** (step / Math.max(1, steps)) : low + ((high - low) * step) / steps),
    ),
  )
  if (current >= low && current <= high) values.add(current)
  return [...values].toSorted((a, b) => a - b)
}

function indexesBetween(values: readonly number[], low: number, high: number): [number, number] | null {
  const first = values.findIndex((value) => value >= low)
  const last = values.findLastIndex((value) => value <= high)
  return first >= 0 && first <= last ? [first, last] : null
}
