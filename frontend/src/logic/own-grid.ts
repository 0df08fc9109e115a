/**
 * The user's own grid of a profile run, as it is typed: a list of levels (values to measure) for each dimension. Every
 * combination of the levels of an operator's dimensions is one point to measure.
 */

/** `of`: the operator, as the form groups them; `start`: the levels that the form begins with. */
export const DIMENSIONS = [
  { name: 'row_bytes', of: 'Rows', label: 'Bytes of a row', start: '200' },
  { name: 'columns', of: 'Rows', label: 'Columns beside the key', start: '1' },
  { name: 'scan_rows', of: 'IndexScan', label: 'Rows', start: '1, 10, 100' },
  { name: 'fk_child_rows', of: 'IndexFKJoin', label: 'Keys looked up', start: '1, 10, 100' },
  { name: 'sorted_child_rows', of: 'SortedIndexJoin', label: 'Lists', start: '10, 100' },
  { name: 'sorted_rows', of: 'SortedIndexJoin', label: 'Rows of each', start: '10, 50' },
  { name: 'forward_child_rows', of: 'SortedIndexJoin forwards', label: 'Lists', start: '' },
  { name: 'forward_rows', of: 'SortedIndexJoin forwards', label: 'Rows of each', start: '' },
  { name: 'dereference_child_rows', of: 'Dereference', label: 'Entries followed', start: '' },
  { name: 'write_entries', of: 'Write', label: 'Index entries', start: '0, 4' },
  { name: 'limit_groups', of: 'LimitCheck', label: 'Groups', start: '1' },
  { name: 'limit_rows', of: 'LimitCheck', label: 'Rows of each', start: '1, 100' },
  { name: 'reference_looks', of: 'ReferenceCheck', label: 'Looks', start: '1, 2' },
] as const

export type Dimension = (typeof DIMENSIONS)[number]['name']
/** The text in the field of each dimension. */
export type TypedGrid = Readonly<Record<Dimension, string>>
export type GridLevels = Record<Dimension, number[]>

export const START = Object.fromEntries(DIMENSIONS.map(({ name, start }) => [name, start])) as TypedGrid

/** The server's limits: levels of one dimension, the largest level, and points of one run. */
const MOST_LEVELS = 50
const LARGEST_LEVEL = 100_000
export const MOST_POINTS = 2000

/** `1, 10, 100` → [1, 10, 100], sorted and without repetitions; undefined if a word is no whole number. */
export function levelsOf(text: string): number[] | undefined {
  const words = text.split(/[\s,;]+/).filter(Boolean)
  const levels = [...new Set(words.map(Number))]
  return levels.every(Number.isInteger) ? levels.toSorted((a, b) => a - b) : undefined
}

/** The message for levels that the server would refuse; undefined if it takes them. */
export function levelsError(dimension: Dimension, text: string): string | undefined {
  const levels = levelsOf(text)
  const least = dimension === 'write_entries' ? 0 : 1
  const most = dimension === 'write_entries' ? 1000 : LARGEST_LEVEL
  if (!levels || levels.some((level) => level < least || level > most))
    return `Whole numbers from ${least} to ${most.toLocaleString('en')}, such as 1, 10, 100.`
  if (levels.length > MOST_LEVELS) return `At most ${MOST_LEVELS} numbers.`
  if (levels.length === 0 && dimension === 'row_bytes') return 'At least one size.'
  return undefined
}

/** The levels of a grid without errors; no levels of `columns` mean 1. */
export function gridOf(typed: TypedGrid): GridLevels {
  const levels = Object.fromEntries(DIMENSIONS.map(({ name }) => [name, levelsOf(typed[name]) ?? []])) as GridLevels
  return { ...levels, columns: levels.columns.length > 0 ? levels.columns : [1] }
}

/** How many points a run over these levels measures. */
export function pointsOf(levels: GridLevels): number {
  const count = (name: Dimension) => levels[name].length
  const widths = count('row_bytes') * count('columns')
  const reads =
    count('scan_rows') +
    count('fk_child_rows') +
    count('sorted_child_rows') * count('sorted_rows') +
    count('forward_child_rows') * count('forward_rows')
  const withOneColumn = count('dereference_child_rows') + count('write_entries')
  return (
    reads * widths +
    withOneColumn * count('row_bytes') +
    count('limit_groups') * count('limit_rows') +
    count('reference_looks') * 2 // each as LOOK and as SHOW_AND_LOOK (grid.py of the profiler)
  )
}

/** A point that a query needs and a run has not measured. */
export interface MissingPoint {
  operator: string
  child_rows: number
  rows: number
  row_bytes: number
  columns: number
}

/** The grid with a point added. Row size and columns are only added if the grid has no level as large. */
export function withPoint(typed: TypedGrid, point: MissingPoint): TypedGrid {
  const next: Record<Dimension, string> = { ...typed }
  const add = (dimension: Dimension, level: number) => {
    next[dimension] = [...new Set([...(levelsOf(next[dimension]) ?? []), level])].toSorted((a, b) => a - b).join(', ')
  }
  const widen = (dimension: 'row_bytes' | 'columns', level: number) => {
    if (Math.max(0, ...(levelsOf(next[dimension]) ?? [])) < level) add(dimension, level)
  }
  for (const [dimension, level] of levelsAt(point)) add(dimension, level)
  if (!point.operator.endsWith('Check')) {
    widen('row_bytes', point.row_bytes)
    widen('columns', point.columns)
  }
  return next
}

/** The levels of the operator's own dimensions at which a point lies. */
function levelsAt({ operator, child_rows, rows }: MissingPoint): [Dimension, number][] {
  switch (operator) {
    case 'IndexScan':
      return [['scan_rows', rows]]
    case 'IndexFKJoin':
      return [['fk_child_rows', child_rows]]
    case 'SortedIndexJoin':
      return [
        ['sorted_child_rows', child_rows],
        ['sorted_rows', rows],
      ]
    case 'SortedIndexJoinForwards':
      return [
        ['forward_child_rows', child_rows],
        ['forward_rows', rows],
      ]
    case 'Dereference':
      return [['dereference_child_rows', child_rows]]
    case 'Write':
      return [['write_entries', child_rows - 1]]
    case 'LimitCheck':
      return [
        ['limit_groups', child_rows],
        ['limit_rows', rows],
      ]
    case 'ReferenceCheck':
      return [['reference_looks', child_rows]]
    default:
      return []
  }
}

/** “IndexScan of 9,000 rows of 96 B in 3 columns”. */
export function pointText({ operator, child_rows, rows, row_bytes, columns }: MissingPoint): string {
  const count = (value: number, noun: string) => `${value.toLocaleString('en')} ${noun}${value === 1 ? '' : 's'}`
  const width = `of ${row_bytes.toLocaleString('en')} B${columns > 1 ? ` in ${columns} columns` : ''}`
  switch (operator) {
    case 'IndexScan':
      return `IndexScan of ${count(rows, 'row')} ${width}`
    case 'SortedIndexJoin':
    case 'SortedIndexJoinForwards':
      return `SortedIndexJoin${operator === 'SortedIndexJoin' ? '' : ' forwards'} of ${count(child_rows, 'list')} with ${count(rows, 'row')} ${width} each`
    case 'Write':
      return `Write of a row ${width} with ${child_rows === 2 ? '1 index entry' : `${child_rows - 1} index entries`}`
    case 'LimitCheck':
      return `LimitCheck of ${count(child_rows, 'group')} of at most ${count(rows, 'row')}`
    case 'ReferenceCheck':
      return `ReferenceCheck of ${count(child_rows, 'look')}`
    default:
      return `${operator} of ${count(child_rows, 'row')} ${width}`
  }
}
