/** Findings of the compiler as squiggles: pure, from diagnostics to markers by file. */
import type { Compilation, Diagnostic, Range } from '../api/types'
import { linkToCode } from './links'
import { modelOf, rangeOf, uriOf } from './models'
import { editor, MarkerSeverity } from './monaco'

export const OWNER = 'piql'

const SEVERITIES = { error: MarkerSeverity.Error, warning: MarkerSeverity.Warning, info: MarkerSeverity.Info }

export function showMarkers(compilation: Compilation, paths: readonly string[]): void {
  for (const path of paths) {
    const model = modelOf(path)
    if (model) editor.setModelMarkers(model, OWNER, markersOf(compilation, path))
  }
}

export function markersOf(compilation: Compilation, path: string): editor.IMarkerData[] {
  const findings = compilation.diagnostics.filter((diagnostic) => diagnostic.range.file === path).map(marker)
  const onTables = compilation.queries.flatMap((query) =>
    query.unbounded
      .filter((segment) => segment.table_range?.file === path)
      .map((segment) =>
        tableMarker(query.name, segment.sentence, tableName(compilation, segment.table) ?? segment.table_range),
      ),
  )
  return [...findings, ...onTables.filter((data): data is editor.IMarkerData => data !== null)]
}

/** The name of a table is where findings about it are marked; its whole range would underline the schema. */
export function tableName(compilation: Compilation, name: string): Range | null {
  return compilation.tables.find((table) => table.name === name)?.name_range ?? null
}

/** The whole of a table's CREATE TABLE. */
export function tableRange(compilation: Compilation, name: string): Range | null {
  return compilation.tables.find((table) => table.name === name)?.range ?? null
}

function marker(diagnostic: Diagnostic): editor.IMarkerData {
  return {
    ...rangeOf(diagnostic.range),
    severity: SEVERITIES[diagnostic.severity],
    message: [diagnostic.message, ...diagnostic.help.map((help) => `help: ${help}`)].join('\n'),
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
