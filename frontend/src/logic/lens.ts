/** The line above a query that says what it may cost: `≤ 101 ops · 2 trips · class II · p99 ≈ 153 ms (9 of 10 ≤ 170 ms)`. */
import { formatCount } from '../units'
import { aboutMs, type Estimate, estimateText } from './estimate'

export interface LensQuery {
  name: string
  is_bounded: boolean
  scaling_class?: string | null
  bound?: { operations: number; round_trips: number } | null
  /** The segments that nothing bounds; a query that cannot be understood has none, and no bound either. */
  unbounded?: readonly unknown[]
}

/** A prediction as a lens says it: a noisy run is flagged with its worst interval. */
export interface LensEstimate extends Estimate {
  p99_ms: number
  is_noisy: boolean
}

/** `live` is the bound of the query as it is deployed: where it is another, it is said. */
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

/** The same where there is little room: without the class, which stands beside it, and with the estimate alone. */
export function shortLensText(query: LensQuery, estimate?: LensEstimate | null, live?: number | null): string {
  const alone = estimate ? { ...estimate, conservative_p99_ms: null, is_noisy: false } : null
  return `${lensText({ ...query, scaling_class: null }, alone, live)}${estimate?.is_noisy ? ' (noisy)' : ''}`
}

/** What is said of a query, or of a table that a query grows with. */
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

interface Place {
  file: string
  start_line: number
}

interface PlacedQuery extends LensQuery {
  range: Place
  unbounded?: readonly { table: string; table_range: Place | null }[]
}

/** The lenses of one file from above to below; where queries or tables begin on one line, each says its name. */
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
    .toSorted((one, other) => one.line - other.line)
    .map(({ line, labels }) => ({
      line,
      labels:
        labels.length === 1
          ? labels
          : labels.map((label) => ({ ...label, text: `${label.table ?? label.query} ${label.text}` })),
    }))
}

/** The tables of a file that queries grow with, each with the names of these queries. */
function unboundedTables(queries: readonly PlacedQuery[], path: string): (LensLabel & { line: number })[] {
  const users = new Map<string, { line: number; queries: string[] }>()
  for (const { name, unbounded = [] } of queries) {
    for (const { table, table_range } of unbounded) {
      if (table_range?.file !== path) continue
      const known = users.get(table) ?? { line: table_range.start_line, queries: [] }
      if (!known.queries.includes(name)) known.queries.push(name)
      users.set(table, known)
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
  // A plain number among the symbols says itself and leads nowhere.
  const known = symbols.filter((symbol) => /\D/.test(symbol)).toSorted((a, b) => b.length - a.length)
  const parts: FormulaPart[] = []
  let plain = ''
  let at = 0
  while (at < formula.length) {
    const symbol = known.find(
      (candidate) => formula.startsWith(candidate, at) && standsAlone(formula, at, candidate.length),
    )
    if (symbol === undefined) {
      plain += formula[at]
      at += 1
      continue
    }
    if (plain !== '') parts.push({ text: plain, isSymbol: false })
    plain = ''
    parts.push({ text: symbol, isSymbol: true })
    at += symbol.length
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

function standsAlone(text: string, at: number, length: number): boolean {
  const isWord = (char: string | undefined) => char !== undefined && /[\w.]/.test(char)
  return !isWord(text[at - 1]) && !isWord(text[at + length])
}
