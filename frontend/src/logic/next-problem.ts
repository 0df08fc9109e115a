/** The problem that F8 goes to. */
import type { Caret, TextRange } from './shapes'

/** The first range behind the caret, in the order of `files` and then of the text; after the last one the first again. */
export function nextProblem<R extends TextRange>(
  ranges: readonly R[],
  files: readonly string[],
  caret: Caret | null,
): R | undefined {
  const position = (file: string, line: number, column: number) => [files.indexOf(file), line, column]
  const sorted = ranges
    .map((range) => ({ range, start: position(range.file, range.start_line, range.start_column) }))
    .toSorted((a, b) => compare(a.start, b.start))
  const caretPosition = caret ? position(caret.file, caret.line, caret.column) : [-1]
  return (sorted.find(({ start }) => compare(start, caretPosition) > 0) ?? sorted[0])?.range
}

/** Compares two lists of numbers by their first differing numbers. */
function compare(a: readonly number[], b: readonly number[]): number {
  const differing = a.findIndex((part, index) => part !== b[index])
  return differing < 0 ? 0 : (a[differing] ?? 0) - (b[differing] ?? 0)
}
