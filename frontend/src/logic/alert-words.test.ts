import { describe, expect, it } from 'vitest'
import { coverText, type Firing, headline, kindText, lastingText, ranked, silenceText, toldText } from './alert-words'

const NOW = new Date('2026-06-05T12:00:00Z')

function firing(kind: string, at: string, change: Partial<Firing> = {}): Firing {
  return { kind, query: 'q', at, is_silenced: false, delivered_to: [], waits_for: [], ...change }
}

describe('the words about alerts', () => {
  it('say first whether something is wrong, and for how long', () => {
    const early = firing('slower', '2026-06-05T09:30:00Z')
    const late = firing('burning', '2026-06-05T11:55:30Z')
    const silenced = firing('over-bound', '2026-06-01T00:00:00Z', { is_silenced: true })
    const text = (...all: Firing[]) => headline(all, true, NOW).text
    expect(text()).toBe('Nothing is wrong.')
    expect(text(silenced)).toBe('Nothing is wrong, apart from 1 alert that a silence covers.')
    expect(text(late)).toBe('1 thing has been wrong for 4 min.')
    expect(text(late, early, silenced)).toBe('2 things have been wrong, the longest for 2 h 30 min.')
    expect(headline([], false, NOW)).toEqual({
      tone: 'warning',
      text: 'Nothing is watched: no receiver is set, so nobody would be told.',
    })
  })

  it('put the worst first, of one kind the longest, and what is silenced last', () => {
    const all = [
      firing('slower', '2026-06-05T08:00:00Z'),
      firing('over-bound', '2026-06-05T08:00:00Z', { is_silenced: true }),
      firing('burning', '2026-06-05T11:00:00Z'),
      firing('burning', '2026-06-05T10:00:00Z'),
    ]
    expect(ranked(all)).toEqual([all[3], all[2], all[0], all[1]])
  })

  it('count days where it is more than two', () => {
    expect(lastingText('2026-06-05T11:59:30Z', NOW)).toBe('for less than a minute')
    expect(lastingText('2026-06-01T11:00:00Z', NOW)).toBe('for 4 days')
  })

  it('say who was told, and who waits', () => {
    const told = firing('burning', '', { delivered_to: ['webhook'], waits_for: ['mail'] })
    expect(toldText(told)).toBe('told by webhook, waits for mail')
    expect(toldText({ ...told, delivered_to: [], waits_for: [] })).toBe('told to nobody')
    expect(toldText({ ...told, is_silenced: true })).toBe('told by webhook, silenced')
    expect(toldText({ ...told, delivered_to: [], is_silenced: true })).toBe('silenced')
  })

  it('say until when and why something is silenced, by the silence that ends last', () => {
    const silence = (until: string, change: object = {}) => ({
      kind: null,
      query: null,
      reason: 'a load test.',
      until,
      ...change,
    })
    const silences = [
      silence('2026-06-05T13:00:00Z'),
      silence('2026-06-05T14:00:00Z', { kind: 'burning', reason: 'a repair' }),
      silence('2026-06-05T15:00:00Z', { query: 'other' }),
    ]
    const burning = firing('burning', '', { is_silenced: true })
    expect(silenceText(burning, silences)).toMatch(
      /^Silenced until .*: a repair\. If it is still wrong then, it is sent\.$/,
    )
    expect(silenceText({ ...burning, kind: 'slower' }, silences)).toContain(': a load test. If')
    expect(silenceText({ ...burning, is_silenced: false }, silences)).toMatch(/: a repair\.$/)
    expect(silenceText(burning, [])).toBe('')
  })

  it('say what a silence covers, also of a kind that is not known any more', () => {
    expect(coverText({ kind: null, query: null })).toBe('everything')
    expect(coverText({ kind: null, query: 'q' })).toBe('everything of q')
    expect(coverText({ kind: 'burning', query: 'q' })).toBe('burning its budget, q')
    expect(coverText({ kind: 'slower', query: null })).toBe('slower than predicted, any query')
    expect(kindText('of-old')).toBe('of-old')
  })
})
