import { expect, it } from 'vitest'
import { queryFile, queryText } from './select-text'

it('a statement becomes a query with one semicolon at its end', () => {
  expect(queryFile('byTown')).toBe('queries/byTown.piql')
  expect(queryText('byTown', '\n SELECT a\nFROM t ')).toBe('CREATE QUERY byTown AS\nSELECT a\nFROM t;\n')
  expect(queryText('byTown', 'SELECT a FROM t ; ;\n')).toBe('CREATE QUERY byTown AS\nSELECT a FROM t;\n')
})
