import { describe, expect, it } from 'vitest'
import { blocksOf } from './markdown'

describe('a page of the reference', () => {
  it('has titles, paragraphs, lists and code, and hides its comments', () => {
    const page =
      '<!-- Made. -->\n# A title\n\n`x` is an error:\nnot deployed.\n\n```piql refused\nSELECT # 1;\n\n- not a list\n```\n\n- one\n- *two*\n'
    expect(blocksOf(page)).toEqual([
      { kind: 'title', level: 1, text: 'A title' },
      {
        kind: 'paragraph',
        spans: [
          { kind: 'code', text: 'x' },
          { kind: 'text', text: ' is an error: not deployed.' },
        ],
      },
      { kind: 'code', language: 'piql refused', text: 'SELECT # 1;\n\n- not a list' },
      { kind: 'list', items: [[{ kind: 'text', text: 'one' }], [{ kind: 'emphasis', text: 'two' }]] },
    ])
  })

  it('has tables with links', () => {
    expect(blocksOf('| code | meaning |\n| --- | --- |\n| [a-b](a-b.md) | one \\| other |')).toEqual([
      {
        kind: 'table',
        head: [[{ kind: 'text', text: 'code' }], [{ kind: 'text', text: 'meaning' }]],
        rows: [[[{ kind: 'link', text: 'a-b', target: 'a-b.md' }], [{ kind: 'text', text: 'one | other' }]]],
      },
    ])
  })

  it('leaves a star and a bracket that mark nothing as they are', () => {
    expect(blocksOf('SELECT * and 2 * 3 and [1: me]')).toEqual([
      { kind: 'paragraph', spans: [{ kind: 'text', text: 'SELECT * and 2 * 3 and [1: me]' }] },
    ])
  })

  it('ends with the text where a code block is not closed', () => {
    expect(blocksOf('```\nopen')).toEqual([{ kind: 'code', language: '', text: 'open' }])
  })
})
