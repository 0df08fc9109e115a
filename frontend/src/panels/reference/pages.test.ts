import { describe, expect, it } from 'vitest'
import { type Block, blocksOf } from '../../logic/markdown'
import { CONTENTS, pageOf } from './pages'

const codes = blocksOf(pageOf(CONTENTS) ?? '').flatMap((block) =>
  block.kind === 'table' ? block.rows.map((row) => row[0]?.[0]?.target?.replace(/\.md$/, '') ?? '') : [],
)

function kinds(blocks: readonly Block[]): string[] {
  return blocks.map((block) => block.kind)
}

describe('the pages of codes', () => {
  it('are those that the list of codes names', () => {
    expect(codes.length).toBeGreaterThan(50)
    expect(codes.filter((code) => pageOf(code) === undefined)).toEqual([])
    expect(pageOf('no-such-code')).toBeUndefined()
  })

  it('begin with a title and show an example', () => {
    for (const code of codes) {
      const blocks = blocksOf(pageOf(code) ?? '')
      expect(blocks[0]?.kind, code).toBe('title')
      expect(kinds(blocks), code).toContain('code')
    }
  })
})
