/**
 * Decorations of a text by the compilation: unbounded parts of queries and the tables that they are unbounded in are
 * underlined and have a sign in the margin; the source of the plan's chosen node is marked.
 */
import type { Compilation, Range } from '../api/types'
import { tableName, tableRange } from './markers'
import { rangeOf } from './models'
import { editor } from './monaco'

/** All decorations of one file; `selected` is the source of the chosen node. */
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

/** For each table that a query is unbounded in: its name underlined, and a bar beside its whole statement. */
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
      // Between line number and text: the margin before the number is kept free for the light bulb.
      linesDecorationsClassName: 'piql-unbounded-sign',
      linesDecorationsTooltip: `unbounded: ${sentence}`,
    },
  }
}
