import { describe, expect, it } from 'vitest'
import { anomalyText, pastText, unusualWord } from './unusual-words'

const SLOWER = {
  measure: 'p99' as const,
  hours: 6,
  observed: 0.0241,
  usual: 0.0102,
  executions: 6032,
  limit_ms: 12.3,
  least_requests: 64,
  requests: 101,
  least_rows: 10,
  rows: 10,
}
const NO_SIZE = { limit_ms: null, least_requests: null, requests: null, least_rows: null, rows: null }

describe('a query beside its own past', () => {
  it('has one word for all that is unusual, errors first', () => {
    const errors = { ...SLOWER, ...NO_SIZE, measure: 'errors' as const }
    const fewer = { ...SLOWER, ...NO_SIZE, measure: 'executions' as const, observed: 3, usual: 90 }
    expect(unusualWord([SLOWER, errors])).toBe('more errors than usual')
    expect(unusualWord([fewer, SLOWER])).toBe('slower than usual')
    expect(unusualWord([fewer])).toBe('fewer than usual')
    expect([unusualWord([]), unusualWord(undefined)]).toEqual([undefined, undefined])
  })

  it('says how much is missing before anything can be compared', () => {
    expect(pastText({ hours_known: 3, hours_needed: 72, weeks: 8, anomalies: [] })).toBe(
      'Its past is not known yet: it was executed in 3 of the 72 hours that a comparison takes.',
    )
  })

  it('says that nothing is unusual, and beside how much', () => {
    expect(pastText({ hours_known: 1200, hours_needed: 72, weeks: 8, anomalies: [] })).toBe(
      'Nothing unusual in its last 24 hours, beside 1,200 hours of the last 8 weeks.',
    )
  })

  it('names the sizes that became slower', () => {
    expect(anomalyText(SLOWER)).toBe(
      'Slower at its p99: 2.4 % of 6,032 executions in the last 6 hours took longer than 12.3 ms, where 1 % are usual (64 to 101 requests, 10 rows).',
    )
  })

  it('tells of errors and of executions beside what is usual', () => {
    expect(anomalyText({ ...SLOWER, ...NO_SIZE, measure: 'errors', hours: 1 })).toBe(
      'More errors: 2.41 % of 6,032 executions in the last hour failed, where 1.02 % are usual.',
    )
    expect(anomalyText({ ...SLOWER, ...NO_SIZE, measure: 'executions', observed: 0, usual: 980.4 })).toBe(
      'Fewer executions: 0 an hour in the last 6 hours, where 980 are usual.',
    )
  })
})
