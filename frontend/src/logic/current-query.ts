/**
 * Which query is the current one: the one that the sidebar marks, the panels show and the keys run.
 *
 * 1. The query under the caret is the current one.
 * 2. With the caret in no query, the current one stays as long as it is in the caret's file.
 * 3. When it is not (another file was opened), the query of the caret's file that is nearest to the caret is taken.
 * 4. In a file without queries, such as a schema, the current one stays wherever it is.
 * 5. A query that was renamed is found again by its position in the file. A query that is gone is replaced by rules
 *    3 and 4, else by the query with the most operations.
 *
 * Of several queries with one name the compiler plans the first. A later one is the current one too while the caret is in
 * it (`isRepeated`): then no query is named, nothing is run, and the panels say why it has no plan.
 *
 * Whoever chooses a query by its name, in a list or an address, moves the caret into it, so that rule 1 holds at once.
 */
import { type Typed, valueOf } from './parameters'
import type { Caret, TextRange } from './shapes'

export interface PlacedQuery {
  name: string
  range: TextRange
  bound?: { operations: number } | null
  /** Whether an earlier query has its name. */
  isRepeated?: boolean
}

/**
 * `position` finds the query again when it was renamed: it is the query number `index` (from 0) of `count` in its file.
 * A query that only the live version has is in no text and has none.
 */
export interface CurrentQuery {
  name: string
  position: { file: string; index: number; count: number } | null
  /** Whether an earlier query has its name, and is the one that the name stands for. */
  isRepeated: boolean
}

/** The query that the caret is in, or behind on the line where it ends. */
export function queryUnder<Q extends PlacedQuery>(queries: readonly Q[], caret: Caret | null): Q | undefined {
  if (!caret) return undefined
  const before = queriesOf(queries, caret.file).filter(({ range }) => !isBefore(caret, startOf(range)))
  const last = before.at(-1)
  if (!last) return undefined
  const end = endOf(last.range)
  return isBefore(end, caret) && end.line !== caret.line ? undefined : last
}

/** The current query from now on, when the caret has moved or the text has changed; null without any query. */
export function follow(
  queries: readonly PlacedQuery[],
  caret: Caret | null,
  current: CurrentQuery | null,
): CurrentQuery | null {
  const under = queryUnder(queries, caret)
  if (under) return currentOf(queries, under)
  const kept = findAgain(queries, current)
  if (!caret || kept?.range.file === caret.file) return kept ? currentOf(queries, kept) : heaviest(queries)
  const near = nearest(queries, caret)
  if (near ?? kept) return currentOf(queries, (near ?? kept) as PlacedQuery)
  return current && !current.position ? current : heaviest(queries)
}

/** The query that an address names, if it is in the address's file or that file has no queries; else the file's first. */
export function atAddress(
  queries: readonly PlacedQuery[],
  address: { query?: string | undefined; file?: string | undefined },
): CurrentQuery | null {
  const named = byName(queries, address.query)
  const first = queriesOf(queries, address.file ?? '').at(0)
  const query = named && (named.range.file === address.file || !first) ? named : first
  return query ? currentOf(queries, query) : heaviest(queries)
}

/** The current query after a query was chosen by name. */
export function chosen(queries: readonly PlacedQuery[], name: string): CurrentQuery {
  const query = byName(queries, name)
  return query ? currentOf(queries, query) : { name, position: null, isRepeated: false }
}

/** What is known when a key asks for the current query to be run. */
export interface RunKey {
  /** Whether the live query writes. */
  isWrite: boolean
  isUnderCaret: boolean
  /** Whether the key was pressed in the query's form. */
  isFromForm: boolean
  /** The values that the form showed when it was last looked at for running; null when it was not. */
  seen: Readonly<Record<string, Typed>> | null
  /** The values that would be sent. */
  values: Readonly<Record<string, Typed>>
  /** How long the form has shown them, in ms; infinite where the user has typed some of them. */
  shownMs: number
}

/** No one reads a form in less: a second press so soon was meant for what was there before. */
export const READING_MS = 500

/**
 * What the key does: a query that only reads runs at once when it is the one under the caret. Everything else is shown in
 * its form first, and runs from there; a write only with the values that the form has shown for long enough.
 */
export function answerToKey({ isWrite, isUnderCaret, isFromForm, seen, values, shownMs }: RunKey): 'run' | 'show' {
  if (!isWrite) return isUnderCaret || isFromForm ? 'run' : 'show'
  const wasRead = seen !== null && isSame(seen, values) && shownMs >= READING_MS
  return isFromForm && wasRead ? 'run' : 'show'
}

function isSame(one: Readonly<Record<string, Typed>>, another: Readonly<Record<string, Typed>>): boolean {
  const names = new Set([...Object.keys(one), ...Object.keys(another)])
  return [...names].every((name) => valueOf(one, name) === valueOf(another, name))
}

/**
 * The current query in the present text: by its name, or by its position if its file has as many queries as before. One
 * whose name stands for another query is looked for by its position first.
 */
function findAgain(queries: readonly PlacedQuery[], current: CurrentQuery | null): PlacedQuery | undefined {
  if (!current) return undefined
  const named = byName(queries, current.name)
  return current.isRepeated ? (atPosition(queries, current) ?? named) : (named ?? atPosition(queries, current))
}

function atPosition(queries: readonly PlacedQuery[], { position }: CurrentQuery): PlacedQuery | undefined {
  if (!position) return undefined
  const inFile = queriesOf(queries, position.file)
  return inFile.length === position.count ? inFile[position.index] : undefined
}

/** The query that a name stands for. */
function byName(queries: readonly PlacedQuery[], name: string | undefined): PlacedQuery | undefined {
  return queries.find((query) => query.name === name && !query.isRepeated)
}

/** The next query below the caret, or the last above it. */
function nearest(queries: readonly PlacedQuery[], caret: Caret): PlacedQuery | undefined {
  const inFile = queriesOf(queries, caret.file)
  return inFile.find(({ range }) => isBefore(caret, startOf(range))) ?? inFile.at(-1)
}

/**
 * The query with the most operations, which is worth looking at first; a query without a bound comes before all others.
 */
function heaviest(queries: readonly PlacedQuery[]): CurrentQuery | null {
  const [first, ...rest] = queries.filter(({ isRepeated }) => !isRepeated)
  if (!first) return null
  const weight = (query: PlacedQuery) => query.bound?.operations ?? Infinity
  return currentOf(
    queries,
    rest.reduce((best, query) => (weight(query) > weight(best) ? query : best), first),
  )
}

function currentOf(queries: readonly PlacedQuery[], query: PlacedQuery): CurrentQuery {
  const { file } = query.range
  const inFile = queriesOf(queries, file)
  return {
    name: query.name,
    position: { file, index: inFile.indexOf(query), count: inFile.length },
    isRepeated: query.isRepeated === true,
  }
}

/** The queries of a file in the order of the text. */
function queriesOf<Q extends PlacedQuery>(queries: readonly Q[], file: string): Q[] {
  return queries
    .filter(({ range }) => range.file === file)
    .toSorted(
      (one, another) =>
        one.range.start_line - another.range.start_line || one.range.start_column - another.range.start_column,
    )
}

interface Position {
  line: number
  column: number
}

function startOf(range: TextRange): Position {
  return { line: range.start_line, column: range.start_column }
}

function endOf(range: TextRange): Position {
  return { line: range.end_line, column: range.end_column }
}

function isBefore(one: Position, another: Position): boolean {
  return one.line < another.line || (one.line === another.line && one.column < another.column)
}
