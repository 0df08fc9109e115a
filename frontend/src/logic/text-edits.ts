/** Edits and ranges of plain strings. Positions count UTF-16 units, as JavaScript and the API do. */
import type { Caret, TextEdit, TextRange } from './shapes'

/** The offset of a 1-based line and column; positions past the end of a line or file are clamped to it. */
export function offsetAt(text: string, line: number, column: number): number {
  let start = 0
  for (let current = 1; current < line; current += 1) {
    const next = text.indexOf('\n', start)
    if (next < 0) return text.length
    start = next + 1
  }
  const newline = text.indexOf('\n', start)
  const end = newline < 0 ? text.length : newline
  return Math.min(start + Math.max(0, column - 1), end)
}

/** The text after all edits of one file, whose positions are those before any of them. Throws if edits overlap. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const sorted = edits
    .map((edit) => ({
      start: offsetAt(text, edit.range.start_line, edit.range.start_column),
      end: offsetAt(text, edit.range.end_line, edit.range.end_column),
      text: edit.text,
    }))
    .toSorted((a, b) => a.start - b.start || a.end - b.end)
  let result = ''
  let copied = 0
  for (const edit of sorted) {
    if (edit.start < copied) throw new Error('edits overlap')
    result += text.slice(copied, edit.start) + edit.text
    copied = edit.end
  }
  return result + text.slice(copied)
}

export function editsByFile<E extends TextEdit>(edits: readonly E[]): Map<string, E[]> {
  const files = new Map<string, E[]>()
  for (const edit of edits) {
    const list = files.get(edit.range.file)
    if (list) list.push(edit)
    else files.set(edit.range.file, [edit])
  }
  return files
}

/** The part of a text that a range covers. */
export function textOf(text: string, range: TextRange): string {
  return text.slice(
    offsetAt(text, range.start_line, range.start_column),
    offsetAt(text, range.end_line, range.end_column),
  )
}

/** Whether the caret is in the range or at its end. */
export function contains(range: TextRange, caret: Caret): boolean {
  if (range.file !== caret.file) return false
  const afterStart =
    caret.line > range.start_line || (caret.line === range.start_line && caret.column >= range.start_column)
  const beforeEnd = caret.line < range.end_line || (caret.line === range.end_line && caret.column <= range.end_column)
  return afterStart && beforeEnd
}

/** A number to compare ranges by: a range over more lines has a larger one, then one over more columns. */
export function extent(range: TextRange): number {
  return (range.end_line - range.start_line) * 10_000 + (range.end_column - range.start_column)
}
