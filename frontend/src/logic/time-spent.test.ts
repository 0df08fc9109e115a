import { describe, expect, it } from 'vitest'
import { blameText, shareOf } from './time-spent'

const JOIN = {
  path: '0',
  operator: 'SortedIndexJoin',
  slow_ms: 18,
  typical_ms: 2,
  slow_requests: 10,
  typical_requests: 10,
}
const SCAN = { path: '0.1', operator: 'IndexScan', slow_ms: 1, typical_ms: 1, slow_requests: 1, typical_requests: 1 }
const REST = { path: '', operator: '', slow_ms: 1, typical_ms: 1, slow_requests: 0, typical_requests: 0 }
const BLAME = { samples: 1000, slowest: 10, slow_from_ms: 19, spent: [JOIN, SCAN, REST] }

describe('where the time of slow executions goes', () => {
  it('names the operator, its share, and that the store answers slowly', () => {
    expect(blameText(BLAME)).toBe(
      'The slowest 10 of 1,000 sampled executions took 19.0 ms or longer, and spent 90 % of their time in SortedIndexJoin. It makes as many requests there as in typical executions, which spend 2.0 ms in it: the store answers slowly.',
    )
    expect(shareOf(JOIN, BLAME.spent)).toBe(0.9)
  })

  it('says that slow executions are larger ones', () => {
    const spent = [{ ...JOIN, slow_requests: 90 }, SCAN, REST]
    expect(blameText({ ...BLAME, spent })).toContain('They are larger: 90 requests there, where 10 are typical.')
  })

  it('does not speak of the store where typical executions are as slow', () => {
    const spent = [{ ...JOIN, typical_ms: 16 }, SCAN, REST]
    expect(blameText({ ...BLAME, spent })).toContain('Typical executions spend 16.0 ms in it.')
  })

  it('says that time is spent outside of requests', () => {
    const spent = [{ ...REST, slow_ms: 40 }, SCAN]
    expect(blameText({ ...BLAME, spent })).toContain('of their time outside of requests.')
  })
})
