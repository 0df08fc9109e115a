/**
 * What the compiler found out, written into the text: the unbounded segment underlined with a sign in the margin, on the
 * query and on the table.
 */
import type { Compilation, Range } from '../api/types'
import { tableName, tableRange } from './markers'
import { rangeOf } from './models'
import { editor } from './monaco'

export function decorationsOf(
  compilation: Compilation,
  path: string,
  selected: Range | null,
): editor.IModelDeltaDecoration[] {
  const decorations: editor.IModelDeltaDecoration[] = []
  for (const query of compilation.queries) {
    for (const segment of query.unbounded) {
      for (const range of segment.ranges.filter((candidate) => candidate.file === path)) {
        decorations.push(unbounded(range, segment.sentence))
      }
    }
  }
  decorations.push(...tablesOf(compilation, path))
  if (selected?.file === path) {
    decorations.push({ range: rangeOf(selected), options: { className: 'piql-selected-node', zIndex: -1 } })
  }
  return decorations
}

function tablesOf(compilation: Compilation, path: string): editor.IModelDeltaDecoration[] {
  const tables = new Map<string, { range: Range; whole: Range | null; sentence: string }>()
  for (const query of compilation.queries) {
    for (const segment of query.unbounded) {
      const range = tableName(compilation, segment.table) ?? segment.table_range
      if (!range || range.file !== path) continue
      if (!tables.has(segment.table))
        tables.set(segment.table, { range, whole: tableRange(compilation, segment.table), sentence: segment.sentence })
    }
  }
  return [...tables.values()].flatMap(({ range, whole, sentence }) => [
    unbounded(range, sentence),
    ...(whole
      ? [{ range: rangeOf(whole), options: { isWholeLine: true, linesDecorationsClassName: 'piql-unbounded-bar' } }]
      : []),
  ])
}

function unbounded(range: Range, sentence: string): editor.IModelDeltaDecoration {
  return {
    range: rangeOf(range),
    options: {
      inlineClassName: 'piql-unbounded',
      // Beside the numbers: the margin before them is left to the light bulb, which else covers the text.
      linesDecorationsClassName: 'piql-unbounded-sign',
      linesDecorationsTooltip: `unbounded: ${sentence}`,
    },
  }
}
