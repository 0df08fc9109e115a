import { expect, it } from 'vitest'
import { changedFiles } from './saved-files'

it('names files that changed, came or went, and leaves out those that are the same', () => {
  const older = [
    { path: 'schema.piql', text: 'a' },
    { path: 'q/gone.piql', text: 'b' },
    { path: 'q/same.piql', text: 'c' },
  ]
  const later = [
    { path: 'schema.piql', text: 'A' },
    { path: 'q/same.piql', text: 'c' },
    { path: 'q/empty.piql', text: '' },
  ]
  expect(changedFiles(older, later)).toEqual([
    { path: 'schema.piql', before: 'a', after: 'A' },
    { path: 'q/empty.piql', before: '', after: '' },
    { path: 'q/gone.piql', before: 'b', after: '' },
  ])
})
