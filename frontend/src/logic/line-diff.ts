/** Which lines of a text were removed and added, by their longest common subsequence. */

export interface DiffLine {
  kind: 'same' | 'added' | 'removed'
  text: string
}

/** All lines of both texts in order. Takes time and memory in proportion to the product of their numbers of lines. */
export function diffLines(before: string, after: string): DiffLine[] {
  const a = before.split('\n')
  const b = after.split('\n')
  // lengths[i][j] is the length of the longest common subsequence of the lines a[i…] and b[j…].
  const lengths = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0))
  const at = (i: number, j: number) => lengths[i]?.[j] ?? 0
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const row = lengths[i]
      if (row) row[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  const lines: DiffLine[] = []
  let i = 0
  let j = 0
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ kind: 'same', text: a[i] ?? '' })
      i += 1
      j += 1
    } else if (i < a.length && (j >= b.length || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ kind: 'removed', text: a[i] ?? '' })
      i += 1
    } else {
      lines.push({ kind: 'added', text: b[j] ?? '' })
      j += 1
    }
  }
  return lines
}

/** The changes with `around` lines before and after each; `null` marks a gap between two of them. */
export function hunks(lines: readonly DiffLine[], around = 2): (DiffLine | null)[] {
  const near = lines.map((_, index) =>
    lines.slice(Math.max(0, index - around), index + around + 1).some((line) => line.kind !== 'same'),
  )
  const kept: (DiffLine | null)[] = []
  lines.forEach((line, index) => {
    if (near[index]) kept.push(line)
    else if (kept.length > 0 && kept.at(-1) !== null) kept.push(null)
  })
  if (kept.at(-1) === null) kept.pop()
  return kept
}
