import { describe, expect, it } from 'vitest'
import {
  aboutText,
  authorText,
  countThreads,
  listedThreads,
  quoteOf,
  type Thread,
  threadsAt,
  threadsByLine,
  withNews,
} from './threads'

let change = 0
function thread(number: number, fields: Partial<Thread>): Thread {
  change += 1
  return { number, change, kind: 'line', is_outdated: false, resolved_at: null, ...fields }
}

const LINE = thread(1, { path: 'a.piql', line: 7 })
const EARLIER_LINE = thread(2, { path: 'a.piql', line: 3 })
const OTHER_FILE = thread(3, { path: 'b.piql', line: 1 })
const BOUND = thread(4, { kind: 'bound', query: 'find' })
const NODE = thread(5, { kind: 'node', query: 'find', node: '0.1', operator: 'IndexScan' })
const RESOLVED = thread(6, { path: 'a.piql', line: 3, resolved_at: '2026-11-03T12:00:00Z' })
const OUTDATED = thread(7, { path: 'a.piql', line: 3, is_outdated: true })
const ALL = [LINE, EARLIER_LINE, OTHER_FILE, BOUND, NODE, RESOLVED, OUTDATED]

function numbers(threads: readonly Thread[]): number[] {
  return threads.map(({ number }) => number)
}

describe('threads of comments', () => {
  it('are known by their numbers, and the newest change of any is the next to ask from', () => {
    const none = { byNumber: new Map<number, Thread>(), all: [], change: 0 }
    const known = withNews(none, ALL)
    expect([known.byNumber.size, known.change]).toEqual([7, OUTDATED.change])
    expect(withNews(known, [])).toBe(known)
    const later = withNews(known, [{ ...LINE, change: 99, line: 8 }])
    expect([later.byNumber.get(1)?.line, later.change, known.byNumber.get(1)?.line]).toEqual([8, 99, 7])
  })

  it('are listed the newest first, and those of a file by their lines', () => {
    expect(numbers(listedThreads(ALL, { state: 'open', file: null }, null))).toEqual([7, 5, 4, 3, 2, 1])
    expect(numbers(listedThreads(ALL, { state: 'resolved', file: null }, null))).toEqual([6])
    const file = { path: 'a.piql', queries: new Set(['find']) }
    expect(numbers(listedThreads(ALL, { state: 'all', file }, null))).toEqual([7, 6, 2, 1, 5, 4])
  })

  it('have the chosen one in the list, whatever the filter', () => {
    expect(numbers(listedThreads(ALL, { state: 'resolved', file: null }, 3))).toEqual([6, 3])
  })

  it('are counted where they are open, and what they are about is there', () => {
    const counts = countThreads(ALL, [{ name: 'find', range: { file: 'a.piql', start_line: 5, end_line: 9 } }])
    expect(counts.open).toBe(6)
    expect([...counts.ofFile]).toEqual([
      ['a.piql', 2],
      ['b.piql', 1],
    ])
    expect([...counts.ofBound]).toEqual([['find', 1]])
    expect(counts.ofNode.get('find')?.get('0.1')).toBe(1)
    expect([...counts.ofQuery]).toEqual([['find', 3]])
  })

  it('have a sign at their lines', () => {
    const byLine = threadsByLine([...ALL, thread(8, { path: 'a.piql', line: 7 })], 'a.piql')
    expect([...byLine].map(([line, threads]) => [line, numbers(threads)])).toEqual([
      [7, [1, 8]],
      [3, [2]],
    ])
  })

  it('are found at a bound or a node', () => {
    expect(numbers(threadsAt(ALL, { kind: 'bound', query: 'find' }))).toEqual([4])
    expect(numbers(threadsAt(ALL, { kind: 'node', query: 'find', node: '0.1' }))).toEqual([5])
    expect(threadsAt(ALL, { kind: 'node', query: 'find', node: '0' })).toEqual([])
  })

  it('say what they are about, and who wrote', () => {
    expect(aboutText({ kind: 'line', path: 'queries/find.piql', line: 3 })).toBe('find.piql, line 3')
    expect(aboutText(BOUND)).toBe('Bound of find')
    expect(aboutText(NODE)).toBe('IndexScan of find')
    expect([authorText('ada', true), authorText(null, false), authorText(null, true)]).toEqual([
      'ada',
      'you',
      'somebody',
    ])
  })

  it('quote a line, and of a long one whole characters', () => {
    expect(quoteOf('SELECT 1;')).toBe('SELECT 1;')
    expect([...quoteOf('😀'.repeat(400))]).toEqual(Array.from({ length: 300 }, () => '😀'))
  })
})
