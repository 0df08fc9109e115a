import { describe, expect, it } from 'vitest'
import type { DraftStorage } from './drafts'
import {
  clearRuns,
  keepRun,
  keyOfRuns,
  MOST_CHARACTERS,
  MOST_OF_VALUES,
  MOST_RUNS,
  type PastRun,
  readRuns,
  valuesText,
} from './run-history'

function emptyStorage(): DraftStorage {
  const items = new Map<string, string>()
  return {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
    keys: () => [...items.keys()],
  }
}

const RUN: PastRun = {
  at: '2026-01-31T12:00:00.000Z',
  environment: 'development',
  query: 'thoughtstream',
  isWrite: false,
  values: { me: 'ada', count: 10 },
  cost: { rows: 10, operations: 7, bound: 101, elapsedMs: 3.2 },
  error: null,
}

describe('runs', () => {
  it('are read with the newest first, those of each application apart', () => {
    const storage = emptyStorage()
    keepRun(storage, 'scadr', RUN)
    keepRun(storage, 'scadr', { ...RUN, query: 'findUser' })
    keepRun(storage, 'tpcw', { ...RUN, query: 'getBook' })
    expect(readRuns(storage, 'scadr').map(({ query }) => query)).toEqual(['findUser', 'thoughtstream'])
    expect(readRuns(storage, 'scadr')[1]).toEqual(RUN)
    clearRuns(storage, 'scadr')
    expect(readRuns(storage, 'scadr')).toEqual([])
    expect(readRuns(storage, 'tpcw')).toHaveLength(1)
  })

  it('lose the oldest when there are too many', () => {
    const storage = emptyStorage()
    for (let number = 0; number <= MOST_RUNS; number += 1) keepRun(storage, 'scadr', { ...RUN, values: { number } })
    const kept = readRuns(storage, 'scadr')
    expect(kept).toHaveLength(MOST_RUNS)
    expect(kept[0]?.values).toEqual({ number: MOST_RUNS })
    expect(kept.at(-1)?.values).toEqual({ number: 1 })
  })

  it('lose the oldest when they take too much room, and long values at once', () => {
    const storage = emptyStorage()
    const text = 'x'.repeat(MOST_OF_VALUES - 20)
    for (let number = 0; number < MOST_RUNS; number += 1) keepRun(storage, 'scadr', { ...RUN, values: { text } })
    expect(storage.getItem(keyOfRuns('scadr'))?.length).toBeLessThanOrEqual(MOST_CHARACTERS)
    expect(readRuns(storage, 'scadr').length).toBeGreaterThan(20)
    keepRun(storage, 'scadr', { ...RUN, values: { text: `${text}${'x'.repeat(20)}` } })
    expect(readRuns(storage, 'scadr')[0]?.values).toBeNull()
  })

  it('that failed have a reason in place of a cost, which is cut where it is long', () => {
    const storage = emptyStorage()
    keepRun(storage, 'scadr', { ...RUN, cost: null, error: 'no '.repeat(1000) })
    expect(readRuns(storage, 'scadr')[0]?.error).toHaveLength(300)
  })

  it('are none where the browser holds something else under their key', () => {
    const storage = emptyStorage()
    for (const text of ['{', '7', '[7, null, {"at": "now"}]', JSON.stringify([{ ...RUN, cost: { rows: 1 } }])]) {
      storage.setItem(keyOfRuns('scadr'), text)
      expect(readRuns(storage, 'scadr')).toEqual([])
    }
    keepRun(storage, 'scadr', RUN)
    expect(readRuns(storage, 'scadr')).toEqual([RUN])
  })
})

it('values are written as one line', () => {
  expect(valuesText({ me: 'ada', towns: ['Oslo', 'Rome'], at: null, picture: { $base64: 'AAEC' }, isNew: true })).toBe(
    'me = ada, towns = (Oslo, Rome), at = NULL, picture = AAEC, isNew = true',
  )
})
