import { describe, expect, it } from 'vitest'
import { decoded, freePath, importSummary } from './schema-import'

const IMPORTED = { tables: ['users', 'items'], queries: [], statements: 3, taken: 2 }

describe('an imported schema', () => {
  it('is told in one sentence', () => {
    expect(importSummary(IMPORTED, 'MySQL')).toBe(
      'MySQL: 2 tables from 2 of 3 statements; the list says why 1 is left out.',
    )
    expect(importSummary({ ...IMPORTED, queries: ['q'], taken: 3 }, 'MySQL')).toBe(
      'MySQL: 2 tables and 1 query from 3 of 3 statements.',
    )
  })

  it('gets a path that no file has', () => {
    expect(freePath('imported.piql', ['schema.piql'])).toBe('imported.piql')
    expect(freePath('imported.piql', ['Imported.piql', 'imported-2.piql'])).toBe('imported-3.piql')
  })

  it('is read from UTF-8 and from UTF-16, and from nothing else', () => {
    expect(decoded(new Uint8Array([0x61, 0xc3, 0xb6]).buffer)).toBe('aö')
    expect(decoded(new Uint8Array([0xff, 0xfe, 0x61, 0]).buffer)).toBe('a')
    expect(decoded(new ArrayBuffer(0))).toBe('')
    expect(() => decoded(new Uint8Array([0x1f, 0x8b, 0x08]).buffer)).toThrow('not text')
  })
})
