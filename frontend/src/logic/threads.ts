/** Threads of comments: which are shown where, how many there are of what, and how they are called. */

interface Place {
  kind: 'line' | 'bound' | 'node'
  path?: string | null
  line?: number | null
  query?: string | null
  node?: string | null
  operator?: string | null
}

export interface Thread extends Place {
  number: number
  change: number
  is_outdated: boolean
  resolved_at: string | null
}

/** The threads that a page knows, with the number of the newest change of any. */
export interface KnownThreads<T extends Thread> {
  byNumber: ReadonlyMap<number, T>
  all: readonly T[]
  change: number
}

/** What is known with what the server says is new; the same value where nothing is. */
export function withNews<T extends Thread>(known: KnownThreads<T>, news: readonly T[]): KnownThreads<T> {
  if (news.length === 0) return known
  const byNumber = new Map(known.byNumber)
  let { change } = known
  for (const thread of news) {
    byNumber.set(thread.number, thread)
    change = Math.max(change, thread.change)
  }
  return { byNumber, all: [...byNumber.values()], change }
}

/** Which threads are listed; `file` is one to which they are confined, with the names of its queries. */
export interface ThreadFilter {
  state: 'open' | 'resolved' | 'all'
  file: { path: string; queries: ReadonlySet<string> } | null
}

/** The threads that a filter leaves, and the chosen one: of one file by lines, else the newest first. */
export function listedThreads<T extends Thread>(
  threads: readonly T[],
  { state, file }: ThreadFilter,
  chosen: number | null,
): T[] {
  const isListed = (thread: T) => {
    if (thread.number === chosen) return true
    if (state !== 'all' && (thread.resolved_at === null) !== (state === 'open')) return false
    return file === null || thread.path === file.path || file.queries.has(thread.query ?? '')
  }
  const order = (a: T, b: T) => (file ? (a.line ?? Infinity) - (b.line ?? Infinity) || 0 : 0) || b.number - a.number
  return threads.filter(isListed).toSorted(order)
}

/** The threads that want an answer at a place that is there: they are counted, and have a sign beside the place. */
function isOpenThere({ resolved_at, is_outdated }: Thread): boolean {
  return resolved_at === null && !is_outdated
}

/** How many open threads there are about what. */
export interface ThreadCounts {
  open: number
  ofFile: ReadonlyMap<string, number>
  ofBound: ReadonlyMap<string, number>
  /** By query, then by the id of the node. */
  ofNode: ReadonlyMap<string, ReadonlyMap<string, number>>
  /** By query: its bound, its nodes and its lines. */
  ofQuery: ReadonlyMap<string, number>
}

interface PlacedQuery {
  name: string
  range: { file: string; start_line: number; end_line: number }
}

export function countThreads(threads: readonly Thread[], queries: readonly PlacedQuery[]): ThreadCounts {
  const ofFile = new Map<string, number>()
  const ofBound = new Map<string, number>()
  const ofNode = new Map<string, Map<string, number>>()
  const ofQuery = new Map<string, number>()
  const queriesOf = byFile(queries)
  for (const thread of threads.filter(isOpenThere)) {
    const { kind, path, line, query, node } = thread
    if (kind === 'line') add(ofFile, path)
    else if (kind === 'bound') add(ofBound, query)
    else if (query) {
      const nodes = ofNode.get(query) ?? new Map<string, number>()
      ofNode.set(query, nodes)
      add(nodes, node)
    }
    const isIn = ({ range }: PlacedQuery) => range.start_line <= (line ?? 0) && (line ?? 0) <= range.end_line
    add(ofQuery, kind === 'line' ? queriesOf.get(path ?? '')?.find(isIn)?.name : query)
  }
  const open = threads.filter(({ resolved_at }) => resolved_at === null).length
  return { open, ofFile, ofBound, ofNode, ofQuery }
}

/** The open threads of each line of a file, those that began first in front. */
export function threadsByLine<T extends Thread>(
  threads: readonly T[],
  path: string,
): ReadonlyMap<number, readonly T[]> {
  const byLine = new Map<number, T[]>()
  for (const thread of threads) {
    if (thread.path !== path || !thread.line || !isOpenThere(thread)) continue
    const onLine = byLine.get(thread.line)
    if (onLine) onLine.push(thread)
    else byLine.set(thread.line, [thread])
  }
  return byLine
}

/** The open threads about a bound or a node, those that began first in front. */
export function threadsAt<T extends Thread>(threads: readonly T[], { kind, query, node }: Place): T[] {
  return threads
    .filter((thread) => thread.kind === kind && thread.query === query && (thread.node ?? null) === (node ?? null))
    .filter(isOpenThere)
    .toSorted((a, b) => a.number - b.number)
}

/** What a thread is about: `findUser.piql, line 3`, `Bound of findUser`, `IndexScan of findUser`. */
export function aboutText({ kind, path, line, query, operator }: Place): string {
  if (kind === 'line') return `${path?.slice(path.lastIndexOf('/') + 1)}, line ${line}`
  return kind === 'bound' ? `Bound of ${query}` : `${operator} of ${query}`
}

/** Who wrote something: without a login it was you, or, where people sign in by now, somebody before that. */
export function authorText(author: string | null, isTeam: boolean): string {
  return author ?? (isTeam ? 'somebody' : 'you')
}

/** A line as a thread quotes it: as many whole characters as the server keeps. */
export function quoteOf(line: string): string {
  return line.length <= MOST_QUOTE ? line : [...line].slice(0, MOST_QUOTE).join('')
}

const MOST_QUOTE = 300

function byFile(queries: readonly PlacedQuery[]): ReadonlyMap<string, readonly PlacedQuery[]> {
  const files = new Map<string, PlacedQuery[]>()
  for (const query of queries) {
    const inFile = files.get(query.range.file)
    if (inFile) inFile.push(query)
    else files.set(query.range.file, [query])
  }
  return files
}

function add(counts: Map<string, number>, key: string | null | undefined): void {
  if (key) counts.set(key, (counts.get(key) ?? 0) + 1)
}
