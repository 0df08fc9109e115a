import { describe, expect, it } from 'vitest'
import { headlineOf, type Place, shownPlaces } from './overview'

function place(application: string, facts: Partial<Place> = {}): Place {
  const names = { application_title: application, environment: 'development', environment_title: 'development' }
  return { application, ...names, version: 1, executed: 1, in_danger: 0, slower: 0, problem: null, ...facts }
}

const names = (places: readonly Place[]) => places.map(({ application }) => application)

describe('the dashboard over all applications', () => {
  it('has what is in danger first, then what cannot be read, then what is slower', () => {
    const places = [
      place('a'),
      place('b', { slower: 1 }),
      place('c', { problem: 'broken' }),
      place('d', { in_danger: 1 }),
      place('e', { in_danger: 3 }),
    ]
    expect(names(shownPlaces(places, ''))).toEqual(['e', 'd', 'c', 'b', 'a'])
  })

  it('is by name where nothing is the matter, and numbers in names are numbers', () => {
    const titled = (application: string, application_title: string) => place(application, { application_title })
    const places = [titled('b', 'Team 10'), titled('c', 'Team 2'), titled('a', 'Team 2')]
    expect(names(shownPlaces(places, ''))).toEqual(['a', 'c', 'b'])
  })

  it('shows the applications and environments that are named, with commas between them', () => {
    const places = [place('shop'), place('shop', { environment: 'production' }), place('chat'), place('tpcw')]
    expect(names(shownPlaces(places, 'shop production, Chat,'))).toEqual(['chat', 'shop'])
    expect(shownPlaces(places, ' , ')).toHaveLength(4)
  })

  it('says how many queries are in danger, and in how many applications', () => {
    expect(headlineOf([place('a'), place('b', { in_danger: 1 }), place('b', { in_danger: 2 })])).toEqual({
      tone: 'danger',
      text: '3 queries are in danger in 1 of 2 applications.',
    })
    expect(headlineOf([place('a', { in_danger: 1 })]).text).toBe('1 query is in danger.')
    expect(headlineOf([place('a'), place('b')]).text).toBe('Nothing is in danger in 2 applications.')
    expect(headlineOf([place('a', { executed: 0 })]).text).toContain('Nothing was executed in this time. Open')
    expect(headlineOf([place('a'), place('b', { problem: 'broken' })])).toEqual({
      tone: 'warning',
      text: 'Nothing else is in danger. 1 environment could not be read.',
    })
  })
})
