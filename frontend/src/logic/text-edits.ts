/** Text edits with UTF-16 positions, applied to plain strings (JavaScript counts UTF-16 units, as the API does). */
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

/** All edits of one file, applied together; they must not overlap. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const placed = edits
    .map((edit) => ({
      start: offsetAt(text, edit.range.start_line, edit.range.start_column),
      end: offsetAt(text, edit.range.end_line, edit.range.end_column),
      text: edit.text,
    }))
    .toSorted((a, b) => a.start - b.start || a.end - b.end)
  let result = ''
  let done = 0
  for (const edit of placed) {
    if (edit.start < done) throw new Error('edits overlap')
    result += text.slice(done, edit.start) + edit.text
    done = edit.end
  }
  return result + text.slice(done)
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

export function textOf(text: string, range: TextRange): string {
  return text.slice(
    offsetAt(text, range.start_line, range.start_column),
    offsetAt(text, range.end_line, range.end_column),
  )
}

/** Whether the caret stands in the range or touches its end. */
export function contains(range: TextRange, caret: Caret): boolean {
  if (range.file !== caret.file) return false
  const afterStart =
    caret.line > range.start_line || (caret.line === range.start_line && caret.column >= range.start_column)
  const beforeEnd = caret.line < range.end_line || (caret.line === range.end_line && caret.column <= range.end_column)
  return afterStart && beforeEnd
}

/** An ordering measure only: a longer range gives a larger number. */
export function extent(range: TextRange): number {
  return (range.end_line - range.start_line) * 10_000 + (range.end_column - range.start_column)
}
