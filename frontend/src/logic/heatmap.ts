/**
 * The geometry and colours of a heatmap of p99 over two limits.
 *
 *    y ▲  ░░ ░░ ╬╬     cells of p99[y][x], row 0 at the bottom;
 *      │  ░░ ┏━━╬╬     ━ the contour: every side between a cell that keeps
 *      │  ░░ ┃▒▒╬╬       the SLO and one that does not; ╬ beyond it
 *      └────────────▶ x
 */
import { interpolateCividis } from 'd3-scale-chromatic'

export interface Grid {
  xs: readonly number[]
  ys: readonly number[]
  /** null where a cell is too far beyond what was measured. */
  p99: readonly (readonly (number | null)[])[]
  states: readonly (readonly string[])[]
  meets: readonly (readonly boolean[])[]
}

export interface CellIndex {
  column: number
  row: number
}

/** A side of the contour in cell units, y upwards from the bottom left corner. */
export interface Side {
  x1: number
  y1: number
  x2: number
  y2: number
}

/** A cell in words: its latency and whether it keeps an SLO, or that it has none. */
export function cellText(
  latency: string,
  state: string | undefined,
  isKept: boolean | undefined,
  slo = 'the SLO',
): string {
  if (state === 'refused') return 'not predicted, too far beyond what was measured'
  return `${latency}, ${state}, ${isKept ? 'keeps' : 'breaks'} ${slo}`
}

/** The sides between cells within the SLO and cells beyond it, in cell units. */
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
  /** 0 at the lowest, 1 at the highest, by the logarithm between. */
  share(value: number): number
}

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

/** Cividis runs from dark blue to yellow and is read alike by nearly all colour visions. */
export function cividis(share: number): Colour {
  const channels = interpolateCividis(share).match(/\d+/g) ?? []
  return { red: Number(channels[0] ?? 0), green: Number(channels[1] ?? 0), blue: Number(channels[2] ?? 0) }
}

/** Black or white, whichever reads better on the colour. */
export function inkOn({ red, green, blue }: Colour): '#000' | '#fff' {
  const linear = (channel: number) => {
    const part = channel / 255
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  }
  const luminance = 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
  return luminance > 0.179 ? '#000' : '#fff'
}

/** Where an arrow, Home or End leads, kept inside the grid; row 0 is drawn at the bottom. */
export function moveCell(cell: CellIndex, key: string, columns: number, rows: number): CellIndex | undefined {
  const at = (column: number, row: number) => ({
    column: Math.min(columns - 1, Math.max(0, column)),
    row: Math.min(rows - 1, Math.max(0, row)),
  })
  switch (key) {
    case 'ArrowLeft':
      return at(cell.column - 1, cell.row)
    case 'ArrowRight':
      return at(cell.column + 1, cell.row)
    case 'ArrowUp':
      return at(cell.column, cell.row + 1)
    case 'ArrowDown':
      return at(cell.column, cell.row - 1)
    case 'Home':
      return at(0, cell.row)
    case 'End':
      return at(columns - 1, cell.row)
    case 'PageUp':
      return at(cell.column, rows - 1)
    case 'PageDown':
      return at(cell.column, 0)
    default:
      return undefined
  }
}

/** The cell nearest to two values, by the logarithm of each axis. */
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

const STEPS = [1, 1.5, 2, 3, 5, 7]

/**
 * The values of an axis around a limit: from a tenth of it to five times it, on a grid that does not move with the
 * limit, so that a map looks the same after one of its cells was written into the text.
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
