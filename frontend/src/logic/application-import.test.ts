import { expect, it } from 'vitest'
import { importFacts } from './application-import'

it('says how large an import is, and what comes along', () => {
  const files = [{ characters: 700 }, { characters: 4200 }]
  expect(importFacts({ files, saves: 40, environments: [1, 2] })).toBe(
    '2 files, 5 kB; 40 saves and 2 environments come along.',
  )
  expect(importFacts({ files: [{ characters: 1 }], saves: 0, environments: [] })).toBe('1 file, 1 character.')
})
