import { describe, expect, it } from 'vitest'
import { allPages, type Page, pagesUntil } from './pages'

/** A server with pages of two numbers up to a last one; `asked` are the cursors that it saw. */
function server(last: number) {
  const asked: (string | null)[] = []
  const ask = async (cursor: string | null): Promise<Page<number>> => {
    asked.push(cursor)
    const start = Number(cursor ?? 0)
    const items = [start, start + 1].filter((number) => number <= last)
    return { items, next: start + 2 <= last ? String(start + 2) : null }
  }
  return { asked, ask }
}

describe('a list by the page', () => {
  it('is whole when all pages are asked for', async () => {
    const { asked, ask } = server(4)
    expect(await allPages(ask)).toEqual([0, 1, 2, 3, 4])
    expect(asked).toEqual([null, '2', '4'])
  })

  it('is one page when that is enough', async () => {
    const { asked, ask } = server(4)
    expect(await pagesUntil((items) => items.includes(1), ask)).toEqual({ items: [0, 1], next: '2' })
    expect(asked).toEqual([null])
  })

  it('is read on until what is looked for is there, or its end', async () => {
    expect(await pagesUntil((items) => items.includes(3), server(9).ask)).toEqual({ items: [0, 1, 2, 3], next: '4' })
    expect(await pagesUntil((items) => items.includes(11), server(4).ask)).toEqual({
      items: [0, 1, 2, 3, 4],
      next: null,
    })
  })

  it('goes on behind the pages that are here', async () => {
    expect(await pagesUntil(() => true, server(9).ask, '4')).toEqual({ items: [4, 5], next: '6' })
  })

  it('fails as a whole when one page does', async () => {
    const { ask } = server(4)
    const broken = (cursor: string | null) => (cursor === '2' ? Promise.reject(new Error('away')) : ask(cursor))
    await expect(allPages(broken)).rejects.toThrow('away')
  })
})
