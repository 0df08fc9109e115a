/**
 * The line (lens) above a query that says what it may cost, and formulas of bounds as text with links.
 *
 *     ≤ 101 ops · 2 trips · class II · p99 ≈ 153 ms (9 of 10 ≤ 170 ms)
 */
import { formatCount } from '../units'
import { aboutMs, type Estimate, estimateText } from './estimate'

export interface LensQuery {
  name: string
  is_bounded: boolean
  scaling_class?: string | null
  bound?: { operations: number; round_trips: number } | null
  /** The parts that nothing bounds. A query with errors has none of them, and no bound either. */
  unbounded?: readonly unknown[]
}

export interface LensEstimate extends Estimate {
  /** The p99 of the worst interval, which is shown if the run is noisy. */
  p99_ms: number
  is_noisy: boolean
}

/** The text of a lens. `live` is the most operations of the deployed query; it is shown if it differs. */
export function lensText(query: LensQuery, estimate?: LensEstimate | null, live?: number | null): string {
  if (!query.is_bounded || !query.bound) return query.unbounded?.length === 0 ? 'no bound' : 'unbounded'
  const parts = [
    `≤ ${formatCount(query.bound.operations)} ${query.bound.operations === 1 ? 'op' : 'ops'}${liveText(query.bound.operations, live)}`,
    `${formatCount(query.bound.round_trips)} ${query.bound.round_trips === 1 ? 'trip' : 'trips'}`,
  ]
  if (query.scaling_class) parts.push(`class ${query.scaling_class}`)
  if (estimate) parts.push(`p99 ${estimateText(estimate)}`)
  if (estimate?.is_noisy) parts.push(`noisy run, worst ${aboutMs(estimate.p99_ms)}`)
  return parts.join(' · ')
}

/** A shorter text for the sidebar: without the class, which is shown beside it, and with the typical estimate only. */
export function shortLensText(query: LensQuery, estimate?: LensEstimate | null, live?: number | null): string {
  const typical = estimate ? { ...estimate, conservative_p99_ms: null, is_noisy: false } : null
  return `${lensText({ ...query, scaling_class: null }, typical, live)}${estimate?.is_noisy ? ' (noisy)' : ''}`
}

/** A label of a query, or, with `table`, of a table that queries are unbounded in; `query` is then the first of them. */
export interface LensLabel {
  query: string
  table?: string
  text: string
  isBounded: boolean
}

/** A line of lenses above a line of the text. */
export interface LensLine {
  line: number
  labels: LensLabel[]
}

interface LineInFile {
  file: string
  start_line: number
}

interface PlacedQuery extends LensQuery {
  range: LineInFile
  unbounded?: readonly { table: string; table_range: LineInFile | null }[]
}

/** The lenses of one file from top to bottom; if several labels are above one line, each begins with its name. */
export function lensLines(
  queries: readonly PlacedQuery[],
  path: string,
  estimates: ReadonlyMap<string, LensEstimate>,
  live: ReadonlyMap<string, number>,
): LensLine[] {
  const lines = new Map<number, LensLine>()
  for (const query of queries.filter(({ range }) => range.file === path)) {
    const line = query.range.start_line
    const text = lensText(query, estimates.get(query.name), live.get(query.name))
    const labels = [...(lines.get(line)?.labels ?? []), { query: query.name, text, isBounded: query.is_bounded }]
    lines.set(line, { line, labels })
  }
  for (const { line, ...label } of unboundedTables(queries, path))
    lines.set(line, { line, labels: [...(lines.get(line)?.labels ?? []), label] })
  return [...lines.values()]
    .toSorted((a, b) => a.line - b.line)
    .map(({ line, labels }) => ({
      line,
      labels:
        labels.length === 1
          ? labels
          : labels.map((label) => ({ ...label, text: `${label.table ?? label.query} ${label.text}` })),
    }))
}

/** A label for each table of a file that queries are unbounded in, with their names. */
function unboundedTables(queries: readonly PlacedQuery[], path: string): (LensLabel & { line: number })[] {
  const users = new Map<string, { line: number; queries: string[] }>()
  for (const { name, unbounded = [] } of queries) {
    for (const { table, table_range } of unbounded) {
      if (table_range?.file !== path) continue
      const entry = users.get(table) ?? { line: table_range.start_line, queries: [] }
      if (!entry.queries.includes(name)) entry.queries.push(name)
      users.set(table, entry)
    }
  }
  return [...users].map(([table, { line, queries: names }]) => ({
    line,
    table,
    query: names[0] ?? '',
    text: `unbounded in ${names.join(', ')}`,
    isBounded: false,
  }))
}

function liveText(operations: number, live: number | null | undefined): string {
  return typeof live === 'number' && live !== operations ? ` (live ${formatCount(live)})` : ''
}

export interface FormulaPart {
  text: string
  isSymbol: boolean
}

/** Splits `1 + subscriptions.owner` so that each known symbol can be a link. */
export function formulaParts(formula: string, symbols: readonly string[]): FormulaPart[] {
  // A symbol that is a plain number has no link. Longer symbols are tried first, as one may begin with another.
  const known = symbols.filter((symbol) => /\D/.test(symbol)).toSorted((a, b) => b.length - a.length)
  const parts: FormulaPart[] = []
  let plain = ''
  let offset = 0
  while (offset < formula.length) {
    const start = offset
    const symbol = known.find(
      (candidate) => formula.startsWith(candidate, start) && standsAlone(formula, start, candidate.length),
    )
    if (symbol === undefined) {
      plain += formula[offset]
      offset += 1
      continue
    }
    if (plain !== '') parts.push({ text: plain, isSymbol: false })
    plain = ''
    parts.push({ text: symbol, isSymbol: true })
    offset += symbol.length
  }
  if (plain !== '') parts.push({ text: plain, isSymbol: false })
  return parts
}

/** The formula with each symbol replaced by its number: `1 + 100`. */
export function formulaWithValues(formula: string, values: ReadonlyMap<string, number>): string {
  return formulaParts(formula, [...values.keys()])
    .map((part) => (part.isSymbol ? formatCount(values.get(part.text) ?? 0) : part.text))
    .join('')
}

/** Whether the stretch of a text is a whole word. */
function standsAlone(text: string, start: number, length: number): boolean {
  const isWord = (char: string | undefined) => char !== undefined && /[\w.]/.test(char)
  return !isWord(text[start - 1]) && !isWord(text[start + length])
}
