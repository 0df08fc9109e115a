import { describe, expect, it } from 'vitest'
import { blocksOf, sectionOf } from './markdown'

describe('a page of the documentation', () => {
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
      { kind: 'list', isOrdered: false, items: [[{ kind: 'text', text: 'one' }], [{ kind: 'emphasis', text: 'two' }]] },
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

  it('has indented code', () => {
    expect(blocksOf('A tree:\n\n    data/\n      files')).toEqual([
      { kind: 'paragraph', spans: [{ kind: 'text', text: 'A tree:' }] },
      { kind: 'code', language: '', text: 'data/\n  files' },
    ])
  })

  it('ends with the text where a code block is not closed', () => {
    expect(blocksOf('```\nopen')).toEqual([{ kind: 'code', language: '', text: 'open' }])
  })

  it('has numbered lists whose items go on, strong words, images and addresses', () => {
    expect(
      blocksOf('1. *One*: a\n   b\n2. two\n\n![A panel](images/a.png)\n\n**Run** at <http://127.0.0.1:1>.'),
    ).toEqual([
      {
        kind: 'list',
        isOrdered: true,
        items: [
          [
            { kind: 'emphasis', text: 'One' },
            { kind: 'text', text: ': a b' },
          ],
          [{ kind: 'text', text: 'two' }],
        ],
      },
      { kind: 'image', text: 'A panel', target: 'images/a.png' },
      {
        kind: 'paragraph',
        spans: [
          { kind: 'strong', text: 'Run' },
          { kind: 'text', text: ' at ' },
          { kind: 'link', text: 'http://127.0.0.1:1', target: 'http://127.0.0.1:1' },
          { kind: 'text', text: '.' },
        ],
      },
    ])
  })

  it('has sections that links name as other readers do', () => {
    expect(sectionOf('3. Other ways to a bound')).toBe('3-other-ways-to-a-bound')
    expect(sectionOf('`piql load`: rows, and files')).toBe('piql-load-rows-and-files')
  })
})
