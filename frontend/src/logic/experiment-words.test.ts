import { describe, expect, it } from 'vitest'
import { countsOf, durationOf, placeOf, valueText } from './experiment-words'

describe('an experiment in words', () => {
  it.each([
    [['agrees', 'undecidable', 'agrees'], '2 claims agree, 1 is undecidable'],
    [['disagrees'], '1 claim disagrees'],
    [['undecidable', 'undecidable', 'disagrees', 'agrees'], '1 claim agrees, 1 disagrees, 2 are undecidable'],
    [[], ''],
  ] as const)('counts its claims: %j', (verdicts, words) => {
    expect(countsOf({ claims: verdicts.map((verdict) => ({ verdict })) })).toBe(words)
  })

  it('says where it ran', () => {
    expect(['embedded:', 'cql://db1/shop'].map(placeOf)).toEqual(['on new embedded files', 'on cql://db1/shop'])
  })

  it('says about how long it takes', () => {
    expect([0.1, 1, 2].map((minutes) => durationOf({ minutes }))).toEqual([
      'some seconds',
      'about a minute',
      'about 2 minutes',
    ])
  })

  it('shows the values of rows', () => {
    expect([null, 'lazy', 50, 10_000, 1.23456, 1234.567].map(valueText)).toEqual([
      '–',
      'lazy',
      '50',
      '10,000',
      '1.235',
      '1,234.6',
    ])
  })
})
