/** Diagnostics as Monaco's markers, which underline a range and appear in its popup. */
import type { Compilation, Diagnostic, Range } from '../api/types'
import { linkToCode } from './links'
import { pathOf, rangeOf, uriOf } from './models'
import { editor, MarkerSeverity } from './monaco'

/** The name under which Monaco keeps the markers. */
export const OWNER = 'piql'

const SEVERITIES = { error: MarkerSeverity.Error, warning: MarkerSeverity.Warning, info: MarkerSeverity.Info }

/** Replaces the markers of each file that has a model; most have none before and after, and are left alone. */
export function showMarkers(compilation: Compilation): void {
  const markers = markersByFile(compilation)
  for (const model of editor.getModels()) {
    if (model.uri.scheme !== 'piql') continue
    const next = markers.get(pathOf(model.uri)) ?? []
    if (next.length > 0 || editor.getModelMarkers({ owner: OWNER, resource: model.uri, take: 1 }).length > 0)
      editor.setModelMarkers(model, OWNER, next)
  }
}

/** By path, the markers of each file that has any: its diagnostics, and warnings at tables that a query is unbounded in. */
function markersByFile(compilation: Compilation): ReadonlyMap<string, editor.IMarkerData[]> {
  const byFile = new Map<string, editor.IMarkerData[]>()
  const add = (file: string, data: editor.IMarkerData) => {
    const inFile = byFile.get(file)
    if (inFile) inFile.push(data)
    else byFile.set(file, [data])
  }
  for (const diagnostic of compilation.diagnostics) add(diagnostic.range.file, marker(diagnostic))
  const nameRanges = new Map(compilation.tables.map((table) => [table.name, table.name_range]))
  for (const query of compilation.queries)
    for (const segment of query.unbounded) {
      const range = nameRanges.get(segment.table) ?? segment.table_range
      if (segment.table_range && range) add(segment.table_range.file, tableMarker(query.name, segment.sentence, range))
    }
  return byFile
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

function tableMarker(query: string, sentence: string, range: Range): editor.IMarkerData {
  return {
    ...rangeOf(range),
    severity: MarkerSeverity.Warning,
    message: `unbounded in ${query}: ${sentence}`,
    source: 'piql',
  }
}
