import { describe, expect, it } from 'vitest'
import { blocksOf, type Span, sectionOf } from '../../logic/markdown'
import { GROUPS, imageOf, loadPage, targetOf } from './pages'

const NAMES = GROUPS.flatMap((group) => group.pages.map(({ name }) => name))

async function blocks(name: string) {
  return blocksOf((await loadPage(name)) ?? '')
}

async function spans(name: string): Promise<Span[]> {
  return (await blocks(name)).flatMap((block) => {
    switch (block.kind) {
      case 'paragraph':
        return block.spans
      case 'list':
        return block.items.flat()
      case 'table':
        return [...block.head, ...block.rows.flat()].flat()
      case 'title':
      case 'code':
      case 'image':
        return []
    }
  })
}

describe('the guide', () => {
  it.each(NAMES)('has the page %s, which begins with a title', async (name) => {
    expect((await blocks(name))[0]).toMatchObject({ kind: 'title', level: 1 })
  })

  it.each(NAMES)('draws all marks of %s', async (name) => {
    const texts = (await spans(name)).filter(({ kind }) => kind !== 'code').map(({ text }) => text)
    expect(texts.filter((text) => /\]\(|\*\*|!\[|`/.test(text))).toEqual([])
  })

  it.each(NAMES)('has what the links and images of %s lead to', async (name) => {
    for (const span of await spans(name)) {
      const target = span.target === undefined ? null : targetOf(name, span.target)
      if (target?.kind !== 'guide' || target.page === '') continue
      const titles = (await blocks(target.page)).flatMap((block) =>
        block.kind === 'title' ? sectionOf(block.text) : [],
      )
      if (target.section !== undefined) expect(titles, span.target).toContain(target.section)
    }
    for (const block of await blocks(name)) {
      if (block.kind === 'image') expect(imageOf(block.target), block.target).toBeTruthy()
    }
  })

  it('tells pages, codes, addresses, and files that it does not have', () => {
    expect(targetOf('tutorial', 'operations.md#rolling-back')).toEqual({
      kind: 'guide',
      page: 'operations',
      section: 'rolling-back',
    })
    expect(targetOf('reference/types', '../language.md')).toEqual({
      kind: 'guide',
      page: 'language',
      section: undefined,
    })
    expect(targetOf('language', '#tables')).toEqual({ kind: 'guide', page: 'language', section: 'tables' })
    expect(targetOf('language', 'reference/codes/unbounded-scan.md')).toEqual({ kind: 'code', code: 'unbounded-scan' })
    expect(targetOf('tutorial', 'https://example.org/a')).toEqual({ kind: 'address', href: 'https://example.org/a' })
    expect(targetOf('tutorial', '../sample-apps/scadr/app.py')).toEqual({ kind: 'none' })
    expect(loadPage('no-such-page')).toBeNull()
  })
})
