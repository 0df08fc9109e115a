/**
 * Parses the part of Markdown that the reference pages of codes use: titles, paragraphs, flat lists, fenced code,
 * tables, and in a line code, emphasis and links.
 */

export interface Span {
  kind: 'text' | 'code' | 'emphasis' | 'link'
  text: string
  /** The target of a link, as it is written. */
  target?: string
}

export type Block =
  | { kind: 'title'; level: number; text: string }
  | { kind: 'paragraph'; spans: Span[] }
  | { kind: 'list'; items: Span[][] }
  | { kind: 'code'; language: string; text: string }
  | { kind: 'table'; head: Span[][]; rows: Span[][][] }

/** The blocks of a page in order; comments are left out. */
export function blocksOf(markdown: string): Block[] {
  const lines = markdown.split('\n')
  const blocks: Block[] = []
  const takeWhile = (isPart: (line: string) => boolean): string[] => {
    const taken = []
    while (lines[0] !== undefined && isPart(lines[0])) taken.push(lines.shift() ?? '')
    return taken
  }
  while (lines[0] !== undefined) {
    const [first] = lines
    if (first.trim() === '' || first.startsWith('<!--')) {
      lines.shift()
    } else if (first.startsWith('```')) {
      lines.shift()
      const text = takeWhile((line) => line !== '```').join('\n')
      lines.shift()
      blocks.push({ kind: 'code', language: first.slice(3), text })
    } else if (first.startsWith('#')) {
      lines.shift()
      const level = first.search(/[^#]/)
      blocks.push({ kind: 'title', level, text: first.slice(level).trim() })
    } else if (first.startsWith('- ')) {
      const items = takeWhile((line) => line.startsWith('- '))
      blocks.push({ kind: 'list', items: items.map((line) => spansOf(line.slice(2))) })
    } else if (first.startsWith('|')) {
      const [head = [], , ...rows] = takeWhile((line) => line.startsWith('|')).map(cellsOf)
      blocks.push({ kind: 'table', head, rows })
    } else {
      const text = takeWhile((line) => line.trim() !== '' && !/^(?:```|#|- |\|)/.test(line)).join(' ')
      blocks.push({ kind: 'paragraph', spans: spansOf(text) })
    }
  }
  return blocks
}

function cellsOf(line: string): Span[][] {
  const inner = line.replace(/^\|/, '').replace(/\|\s*$/, '')
  return inner.split(/(?<!\\)\|/).map((cell) => spansOf(cell.trim().replaceAll(String.raw`\|`, '|')))
}

/** `code`, [label](target) or *emphasis*, each in groups of its own. */
const MARKED = /`([^`]+)`|\[([^\]]+)\]\(([^)\s]+)\)|\*([^*\s](?:[^*]*[^*\s])?)\*/g

function spansOf(text: string): Span[] {
  const spans: Span[] = []
  let end = 0 // of the match before
  for (const match of text.matchAll(MARKED)) {
    const [whole, code, label, target, emphasis] = match
    if (match.index > end) spans.push({ kind: 'text', text: text.slice(end, match.index) })
    if (code !== undefined) spans.push({ kind: 'code', text: code })
    else if (label !== undefined && target !== undefined) spans.push({ kind: 'link', text: label, target })
    else spans.push({ kind: 'emphasis', text: emphasis ?? '' })
    end = match.index + whole.length
  }
  if (end < text.length) spans.push({ kind: 'text', text: text.slice(end) })
  return spans
}
