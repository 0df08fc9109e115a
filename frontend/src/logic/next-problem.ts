/** The finding that F8 goes to: the first behind the caret, through all files in their order, and around. */
import type { Caret, TextRange } from './shapes'

export function nextProblem<R extends TextRange>(
  ranges: readonly R[],
  files: readonly string[],
  caret: Caret | null,
): R | undefined {
  const place = (file: string, line: number, column: number) => [files.indexOf(file), line, column]
  const placed = ranges
    .map((range) => ({ range, at: place(range.file, range.start_line, range.start_column) }))
    .toSorted((a, b) => compare(a.at, b.at))
  const here = caret ? place(caret.file, caret.line, caret.column) : [-1]
  return (placed.find(({ at }) => compare(at, here) > 0) ?? placed[0])?.range
}

function compare(a: readonly number[], b: readonly number[]): number {
  const differing = a.findIndex((part, index) => part !== b[index])
  return differing < 0 ? 0 : (a[differing] ?? 0) - (b[differing] ?? 0)
}
