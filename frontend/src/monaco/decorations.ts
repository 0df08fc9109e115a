/**
 * What the compiler found out, written into the text: the unbounded segment underlined with a sign in the margin, on the
 * query and on the table, and there the queries it is unbounded in.
 */
import type { Compilation, Range } from '../api/types'
import { editor } from './monaco'
import { rangeOf } from './models'
import { tableName, tableRange } from './markers'

export function decorationsOf(compilation: Compilation, path: string, selected: Range | null): editor.IModelDeltaDecoration[] {
  const decorations: editor.IModelDeltaDecoration[] = []
  for (const query of compilation.queries) {
    for (const segment of query.unbounded) {
      for (const range of segment.ranges.filter((each) => each.file === path)) {
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
  const users = new Map<string, { range: Range; whole: Range | null; sentence: string; queries: string[] }>()
  for (const query of compilation.queries) {
    for (const segment of query.unbounded) {
      const range = tableName(compilation, segment.table) ?? segment.table_range
      if (!range || range.file !== path) continue
      const known = users.get(segment.table)
      if (known) known.queries.push(query.name)
      else users.set(segment.table, { range, whole: tableRange(compilation, segment.table), sentence: segment.sentence, queries: [query.name] })
    }
  }
  return [...users.values()].flatMap(({ range, whole, sentence, queries }) => [
    unbounded(range, sentence),
    endOfLine(range, `unbounded in ${queries.join(', ')}`),
    ...(whole
      ? [{ range: rangeOf(whole), options: { isWholeLine: true, linesDecorationsClassName: 'piql-unbounded-bar' } }]
      : []),
  ])
}

const NO_STOP = 3 satisfies editor.InjectedTextCursorStops.None

function endOfLine(range: Range, text: string): editor.IModelDeltaDecoration {
  return {
    range: { startLineNumber: range.start_line, startColumn: 100_000, endLineNumber: range.start_line, endColumn: 100_000 },
    options: {
      showIfCollapsed: true,
      // The editor cuts long injected texts in pieces, so the gap before the label is a text of its own, not a margin.
      before: { content: '\u2003', cursorStops: NO_STOP },
      after: { content: `\u2002${text}\u2002`, inlineClassName: 'piql-lens piql-lens-unbounded', cursorStops: NO_STOP },
    },
  }
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
