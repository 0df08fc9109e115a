/**
 * The geometry and colours of a heatmap of p99 over two limits.
 *
 *    y ▲  ░░ ░░ ╬╬     cells of p99[row][column], row 0 at the bottom; ╬ breaks the SLO
 *      │  ░░ ┏━━╬╬     ━ the contour: every side between a cell that keeps
 *      │  ░░ ┃▒▒╬╬       the SLO and one that breaks it
 *      └────────────▶ x
 */
import { interpolateCividis } from 'd3-scale-chromatic'

/** The values of both axes, and for each cell `[row][column]` its latency, state and whether it keeps the SLO. */
export interface Grid {
  xs: readonly number[]
  ys: readonly number[]
  /** In milliseconds; null if a cell is too far beyond what was measured. */
  p99: readonly (readonly (number | null)[])[]
  /** `measured`, `interpolated`, `extrapolated` or `refused`. */
  states: readonly (readonly string[])[]
  meets: readonly (readonly boolean[])[]
}

export interface CellIndex {
  column: number
  row: number
}

/** One side of a cell, in units of cells; y goes up from the bottom left corner. */
export interface Side {
  x1: number
  y1: number
  x2: number
  y2: number
}

/** A cell in words: its latency and whether it keeps an SLO, or that it is not predicted. */
export function cellText(
  latency: string,
  state: string | undefined,
  isKept: boolean | undefined,
  slo = 'the SLO',
): string {
  if (state === 'refused') return 'not predicted, too far beyond what was measured'
  return `${latency}, ${state}, ${isKept ? 'keeps' : 'breaks'} ${slo}`
}

/** The sides between cells that keep the SLO and cells that break it. */
export function sloContour(meets: readonly (readonly boolean[])[]): Side[] {
  const sides: Side[] = []
  const rows = meets.length
  const columns = meets[0]?.length ?? 0
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const here = meets[row]?.[column]
      if (column + 1 < columns && here !== meets[row]?.[column + 1]) {
        sides.push({ x1: column + 1, y1: row, x2: column + 1, y2: row + 1 })
      }
      if (row + 1 < rows && here !== meets[row + 1]?.[column]) {
        sides.push({ x1: column, y1: row + 1, x2: column + 1, y2: row + 1 })
      }
    }
  }
  return sides
}

/** One SVG path of many sides; `place` turns cell units into pixels. */
export function contourPath(sides: readonly Side[], place: (x: number, y: number) => [number, number]): string {
  return sides
    .map((side) => {
      const [x1, y1] = place(side.x1, side.y1)
      const [x2, y2] = place(side.x2, side.y2)
      return `M${x1},${y1}L${x2},${y2}`
    })
    .join('')
}

export interface LogScale {
  low: number
  high: number
  /** 0 at `low`, 1 at `high`, logarithmic between. */
  share(value: number): number
}

/** The scale from the smallest to the largest positive value; 1 to 10 if there is none. */
export function logScale(values: Iterable<number | null>): LogScale {
  let low = Infinity
  let high = -Infinity
  for (const value of values) {
    if (value === null || !(value > 0) || !Number.isFinite(value)) continue
    low = Math.min(low, value)
    high = Math.max(high, value)
  }
  if (low > high) {
    low = 1
    high = 10
  }
  if (low === high) {
    low /= 1.5
    high *= 1.5
  }
  const span = Math.log(high) - Math.log(low)
  return {
    low,
    high,
    share: (value) => Math.min(1, Math.max(0, (Math.log(Math.max(value, 1e-9)) - Math.log(low)) / span)),
  }
}

export interface Colour {
  red: number
  green: number
  blue: number
}

/** The colour map cividis from dark blue (0) to yellow (1), which looks nearly alike with colour-blind eyes. */
export function cividis(share: number): Colour {
  const channels = interpolateCividis(share).match(/\d+/g) ?? []
  return { red: Number(channels[0] ?? 0), green: Number(channels[1] ?? 0), blue: Number(channels[2] ?? 0) }
}

/** Black or white, whichever has the higher contrast with the colour, by the relative luminance of WCAG 2. */
export function inkOn({ red, green, blue }: Colour): '#000' | '#fff' {
  const linear = (channel: number) => {
    const part = channel / 255
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  }
  const luminance = 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
  // At this luminance the contrasts (L + 0.05) / 0.05 and 1.05 / (L + 0.05) are equal.
  return luminance > 0.179 ? '#000' : '#fff'
}

/** The cell that a key leads to, kept inside the grid; undefined for a key that does not move. Row 0 is at the bottom. */
export function moveCell(cell: CellIndex, key: string, columns: number, rows: number): CellIndex | undefined {
  const clamped = (column: number, row: number) => ({
    column: Math.min(columns - 1, Math.max(0, column)),
    row: Math.min(rows - 1, Math.max(0, row)),
  })
  switch (key) {
    case 'ArrowLeft':
      return clamped(cell.column - 1, cell.row)
    case 'ArrowRight':
      return clamped(cell.column + 1, cell.row)
    case 'ArrowUp':
      return clamped(cell.column, cell.row + 1)
    case 'ArrowDown':
      return clamped(cell.column, cell.row - 1)
    case 'Home':
      return clamped(0, cell.row)
    case 'End':
      return clamped(columns - 1, cell.row)
    case 'PageUp':
      return clamped(cell.column, rows - 1)
    case 'PageDown':
      return clamped(cell.column, 0)
    default:
      return undefined
  }
}

/** The cell nearest to two values, on the logarithm of each axis. */
export function nearestCell(grid: Pick<Grid, 'xs' | 'ys'>, x: number, y: number): CellIndex {
  return { column: nearestIndex(grid.xs, x), row: nearestIndex(grid.ys, y) }
}

function nearestIndex(values: readonly number[], value: number): number {
  let best = 0
  values.forEach((candidate, index) => {
    if (Math.abs(Math.log((candidate || 0.5) / value)) < Math.abs(Math.log((values[best] || 0.5) / value))) best = index
  })
  return best
}

/** The values of an axis within each power of ten. */
const STEPS = [1, 1.5, 2, 3, 5, 7]

/**
 * The values of an axis around a limit: the limit itself, and round values from a tenth of it to five times it. The round
 * values do not depend on the limit, so a map keeps its cells after one of them was written into the text.
 */
export function axisValues(current: number): number[] {
  const values = new Set<number>([current])
  for (let decade = 1; decade <= 1_000_000; decade *= 10) {
    for (const step of STEPS) {
      const value = decade * step
      if (Number.isInteger(value) && value >= current / 10 && value <= Math.min(current * 5, 1_000_000))
        values.add(value)
    }
  }
  return [...values].toSorted((a, b) => a - b)
}
