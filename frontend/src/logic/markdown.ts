/**
 * Parses the part of Markdown that the documentation uses: titles, paragraphs, flat lists, fenced and indented code,
 * tables, images on lines of their own, and in a line code, emphasis and links.
 */

export interface Span {
  kind: 'text' | 'code' | 'emphasis' | 'strong' | 'link'
  text: string
  /** The target of a link, as it is written. */
  target?: string
}

export type Block =
  | { kind: 'title'; level: number; text: string }
  | { kind: 'paragraph'; spans: Span[] }
  | { kind: 'list'; isOrdered: boolean; items: Span[][] }
  | { kind: 'image'; text: string; target: string }
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
    } else if (first.startsWith(INDENT)) {
      const text = takeWhile((line) => line.startsWith(INDENT)).map((line) => line.slice(INDENT.length))
      blocks.push({ kind: 'code', language: '', text: text.join('\n') })
    } else if (first.startsWith('#')) {
      lines.shift()
      const level = first.search(/[^#]/)
      blocks.push({ kind: 'title', level, text: first.slice(level).trim() })
    } else if (ITEM.test(first)) {
      const items = takeWhile((line) => ITEM.test(line) || /^ +\S/.test(line))
      blocks.push({ kind: 'list', isOrdered: !first.startsWith('-'), items: itemsOf(items) })
    } else if (IMAGE.test(first)) {
      const [, text = '', target = ''] = IMAGE.exec(lines.shift() ?? '') ?? []
      blocks.push({ kind: 'image', text, target })
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

/** The id of a title, by which links lead to it: as other readers of Markdown name it. */
export function sectionOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')
}

const INDENT = ' '.repeat(4)
const ITEM = /^(?:-|\d+\.) /
const IMAGE = /^!\[([^\]]*)\]\(([^)\s]+)\)$/

/** The items of a list; an indented line goes on with the one before. */
function itemsOf(lines: readonly string[]): Span[][] {
  const items: string[] = []
  for (const line of lines) {
    if (ITEM.test(line)) items.push(line.replace(ITEM, ''))
    else items.push(`${items.pop() ?? ''} ${line.trim()}`)
  }
  return items.map(spansOf)
}

function cellsOf(line: string): Span[][] {
  const inner = line.replace(/^\|/, '').replace(/\|\s*$/, '')
  return inner.split(/(?<!\\)\|/).map((cell) => spansOf(cell.trim().replaceAll(String.raw`\|`, '|')))
}

/** `code`, [label](target), <address>, **strong** or *emphasis*, each in groups of its own. */
const MARKED = /`([^`]+)`|\[([^\]]+)\]\(\s*([^)\s]+)\)|<(https?:[^>\s]+)>|\*\*([^*]+)\*\*|\*([^*\s](?:[^*]*[^*\s])?)\*/g

function spansOf(text: string): Span[] {
  const spans: Span[] = []
  let end = 0 // of the match before
  for (const match of text.matchAll(MARKED)) {
    const [whole, code, label, target, address, strong, emphasis] = match
    if (match.index > end) spans.push({ kind: 'text', text: text.slice(end, match.index) })
    if (code !== undefined) spans.push({ kind: 'code', text: code })
    else if (label !== undefined && target !== undefined)
      spans.push({ kind: 'link', text: label.replaceAll('`', ''), target })
    else if (address !== undefined) spans.push({ kind: 'link', text: address, target: address })
    else if (strong !== undefined) spans.push({ kind: 'strong', text: strong })
    else spans.push({ kind: 'emphasis', text: emphasis ?? '' })
    end = match.index + whole.length
  }
  if (end < text.length) spans.push({ kind: 'text', text: text.slice(end) })
  return spans
}
