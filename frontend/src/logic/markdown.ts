/** The Markdown of the reference's pages, as blocks to draw: titles, paragraphs, lists, code and tables, and no more. */

export interface Span {
  kind: 'text' | 'code' | 'emphasis' | 'link'
  text: string
  /** Where a link leads, as it is written. */
  target?: string
}

export type Block =
  | { kind: 'title'; level: number; text: string }
  | { kind: 'paragraph'; spans: Span[] }
  | { kind: 'list'; items: Span[][] }
  | { kind: 'code'; language: string; text: string }
  | { kind: 'table'; head: Span[][]; rows: Span[][][] }

export function blocksOf(markdown: string): Block[] {
  const lines = markdown.split('\n')
  const blocks: Block[] = []
  const take = (isPart: (line: string) => boolean): string[] => {
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
      const text = take((line) => line !== '```').join('\n')
      lines.shift()
      blocks.push({ kind: 'code', language: first.slice(3), text })
    } else if (first.startsWith('#')) {
      lines.shift()
      const level = first.search(/[^#]/)
      blocks.push({ kind: 'title', level, text: first.slice(level).trim() })
    } else if (first.startsWith('- ')) {
      blocks.push({ kind: 'list', items: take((line) => line.startsWith('- ')).map((line) => spansOf(line.slice(2))) })
    } else if (first.startsWith('|')) {
      const [head = [], , ...rows] = take((line) => line.startsWith('|')).map(cellsOf)
      blocks.push({ kind: 'table', head, rows })
    } else {
      const text = take((line) => line.trim() !== '' && !/^(?:```|#|- |\|)/.test(line)).join(' ')
      blocks.push({ kind: 'paragraph', spans: spansOf(text) })
    }
  }
  return blocks
}

function cellsOf(line: string): Span[][] {
  const inner = line.replace(/^\|/, '').replace(/\|\s*$/, '')
  return inner.split(/(?<!\\)\|/).map((cell) => spansOf(cell.trim().replaceAll(String.raw`\|`, '|')))
}

const MARKED = /`([^`]+)`|\[([^\]]+)\]\(([^)\s]+)\)|\*([^*\s](?:[^*]*[^*\s])?)\*/g

function spansOf(text: string): Span[] {
  const spans: Span[] = []
  let at = 0
  for (const match of text.matchAll(MARKED)) {
    const [whole, code, label, target, emphasis] = match
    if (match.index > at) spans.push({ kind: 'text', text: text.slice(at, match.index) })
    if (code !== undefined) spans.push({ kind: 'code', text: code })
    else if (label !== undefined && target !== undefined) spans.push({ kind: 'link', text: label, target })
    else spans.push({ kind: 'emphasis', text: emphasis ?? '' })
    at = match.index + whole.length
  }
  if (at < text.length) spans.push({ kind: 'text', text: text.slice(at) })
  return spans
}
