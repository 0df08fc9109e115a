/** Diagnostics as Monaco's markers, which underline a range and appear in its popup. */
import type { Compilation, Diagnostic, Range } from '../api/types'
import { linkToCode } from './links'
import { modelOf, rangeOf, uriOf } from './models'
import { editor, MarkerSeverity } from './monaco'

/** The name under which Monaco keeps the markers. */
export const OWNER = 'piql'

const SEVERITIES = { error: MarkerSeverity.Error, warning: MarkerSeverity.Warning, info: MarkerSeverity.Info }

/** Replaces the markers of each file that is open in Monaco. */
export function showMarkers(compilation: Compilation, paths: readonly string[]): void {
  for (const path of paths) {
    const model = modelOf(path)
    if (model) editor.setModelMarkers(model, OWNER, markersOf(compilation, path))
  }
}

/** The markers of one file: its diagnostics, and a warning at each table that a query is unbounded in. */
export function markersOf(compilation: Compilation, path: string): editor.IMarkerData[] {
  const onTexts = compilation.diagnostics.filter((diagnostic) => diagnostic.range.file === path).map(marker)
  const onTables = compilation.queries.flatMap((query) =>
    query.unbounded
      .filter((segment) => segment.table_range?.file === path)
      .map((segment) =>
        tableMarker(query.name, segment.sentence, tableName(compilation, segment.table) ?? segment.table_range),
      ),
  )
  return [...onTexts, ...onTables.filter((data): data is editor.IMarkerData => data !== null)]
}

/** The range of a table's name, where problems of the table are marked; its whole statement would be too much. */
export function tableName(compilation: Compilation, name: string): Range | null {
  return compilation.tables.find((table) => table.name === name)?.name_range ?? null
}

/** The range of a table's whole CREATE TABLE. */
export function tableRange(compilation: Compilation, name: string): Range | null {
  return compilation.tables.find((table) => table.name === name)?.range ?? null
}

function marker(diagnostic: Diagnostic): editor.IMarkerData {
  const notes = diagnostic.allowed ? [`allowed: ${diagnostic.allowed}`] : diagnostic.help.map((help) => `help: ${help}`)
  return {
    ...rangeOf(diagnostic.range),
    severity: SEVERITIES[diagnostic.severity],
    message: [diagnostic.message, ...notes].join('\n'),
    code: { value: diagnostic.code, target: linkToCode(diagnostic.code) },
    source: 'piql',
    relatedInformation: diagnostic.labels.map((label) => ({
      ...rangeOf(label.range),
      resource: uriOf(label.range.file),
      message: label.text,
    })),
  }
}

function tableMarker(query: string, sentence: string, range: Range | null): editor.IMarkerData | null {
  if (!range) return null
  return {
    ...rangeOf(range),
    severity: MarkerSeverity.Warning,
    message: `unbounded in ${query}: ${sentence}`,
    source: 'piql',
  }
}
