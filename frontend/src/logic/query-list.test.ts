import { describe, expect, it } from 'vitest'
import { type Grouping, type ListedQuery, matches, queryGroups, searchedText } from './query-list'

function query(name: string, operations: number | null, scaling_class: string | null, file = 'a.piql'): ListedQuery {
  return {
    name,
    range: { file },
    scaling_class,
    is_bounded: operations !== null,
    bound: operations === null ? null : { operations },
  }
}

const QUERIES = [
  query('find', 1, 'I', 'b.piql'),
  query('stream', 101, 'II'),
  query('grows', null, null),
  query('follow', 11, 'I'),
]

function groupsBy(grouping: Grouping) {
  const state = ({ name }: ListedQuery) => (name === 'find' ? 'live' : name === 'stream' ? 'changed' : null)
  return queryGroups(QUERIES, grouping, state).map(
    ({ title, queries }) => `${title}: ${queries.map(({ name }) => name).join(' ')}`,
  )
}

describe('the queries of the sidebar', () => {
  it('stand in the order of the text without groups, and in that of their files', () => {
    expect(groupsBy('none')).toEqual([': find stream grows follow'])
    expect(groupsBy('file')).toEqual(['b.piql: find', 'a.piql: stream grows follow'])
  })

  it('stand with those first that need attention', () => {
    expect(groupsBy('class')).toEqual(['Unbounded: grows', 'Class II: stream', 'Class I: find follow'])
    expect(groupsBy('cost')).toEqual([
      'Unbounded: grows',
      'At most 1,000 operations: stream',
      'At most 100 operations: follow',
      'One operation: find',
    ])
    expect(groupsBy('live')).toEqual([
      'Changed since it was deployed: stream',
      'Not deployed: grows follow',
      'As it is live: find',
    ])
  })

  it('are filtered by name, file, class, and by what is unbounded', () => {
    const left = (filter: string) =>
      QUERIES.filter((listed) => matches(searchedText(listed), filter)).map(({ name }) => name)
    expect(left('')).toHaveLength(4)
    expect(left('FO')).toEqual(['follow'])
    expect(left('b.piql')).toEqual(['find'])
    expect(left('class ii')).toEqual(['stream'])
    expect(left('unbounded')).toEqual(['grows'])
    expect(left('follow stream')).toEqual([])
  })
})
