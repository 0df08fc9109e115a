/** Hover, completion, quick fixes and definitions, all from what the compiler says of the text. */
import { answered, api } from '../api/client'
import type { Compilation, Diagnostic, Query, Range, Table } from '../api/types'
import { currentCompilation, useCompilationState } from '../documents/compile-loop'
import { sourceFiles } from '../documents/documents'
import { contains } from '../logic/text-edits'
import { formulaWithValues } from '../logic/lens'
import type { Caret } from '../logic/shapes'
import { formatBytes, formatCount, plural } from '../units'
import { LANGUAGE } from './language'
import { tableRange } from './markers'
import { modelOf, pathOf, rangeOf, uriOf } from './models'
import { editor, languages, Range as MonacoRange, type CancellationToken, type IRange } from './monaco'

export function registerProviders(): void {
  languages.registerHoverProvider(LANGUAGE, {
    provideHover: (model, position) =>
      hoverAt(model, { file: pathOf(model.uri), line: position.lineNumber, column: position.column }),
  })
  languages.registerCodeActionProvider(LANGUAGE, { provideCodeActions: fixesAt }, { providedCodeActionKinds: ['quickfix'] })
  languages.registerDefinitionProvider(LANGUAGE, {
    provideDefinition: (model, position) => {
      const { compilation } = useCompilationState.getState()
      const word = model.getWordAtPosition(position)?.word
      const target = compilation && word ? definitionOf(compilation, word) : null
      return target ? { uri: uriOf(target.file), range: rangeOf(target) } : null
    },
  })
  languages.registerCompletionItemProvider(LANGUAGE, { triggerCharacters: ['.', '['], provideCompletionItems: completionsAt })
}

function definitionOf(compilation: Compilation, word: string): Range | null {
  const name = word.toLowerCase()
  const table = compilation.tables.find((each) => each.name.toLowerCase() === name)
  if (table) return table.name_range ?? table.range
  const query = compilation.queries.find((each) => each.name.toLowerCase() === name)
  if (query) return query.name_range
  const column = compilation.tables.flatMap((each) => each.columns).find((each) => each.name.toLowerCase() === name)
  return column?.range ?? null
}

function hoverAt(model: editor.ITextModel, caret: Caret): languages.Hover | null {
  const { compilation } = useCompilationState.getState()
  if (!compilation) return null
  for (const query of compilation.queries) {
    if (contains(query.name_range, caret)) return { range: rangeOf(query.name_range), contents: [{ value: boundText(query) }] }
  }
  for (const query of compilation.queries) {
    const term = query.bound?.terms.find((each) => each.number_range && contains(each.number_range, caret))
    if (term?.number_range) {
      const users = compilation.queries.filter((each) => each.bound?.terms.some((other) => other.symbol === term.symbol))
      const text = `\`${term.symbol}\` = **${formatCount(term.value)}** — ${term.reason}\n\nproves the bound of ${users.map((each) => `\`${each.name}\``).join(', ')}`
      return { range: rangeOf(term.number_range), contents: [{ value: text }] }
    }
  }
  const word = model.getWordAtPosition({ lineNumber: caret.line, column: caret.column })
  const table = word ? compilation.tables.find((each) => each.name.toLowerCase() === word.word.toLowerCase()) : undefined
  return table ? { contents: [{ value: tableText(table) }] } : null
}

function boundText(query: Query): string {
  const { bound } = query
  if (!bound) {
    const sentences = query.unbounded.map((segment) => `- ${segment.sentence}`)
    return [`**${query.name}** is unbounded, so it cannot be deployed.`, sentences.join('\n')].join('\n\n')
  }
  const values = new Map(bound.terms.map((term) => [term.symbol, term.value]))
  const numbers = formulaWithValues(bound.formula, values)
  return [
    `**${query.name}** · class ${query.scaling_class ?? '–'}`,
    `at most **${plural(bound.operations, 'operation')}** in ${plural(bound.round_trips, 'round trip')}, ${plural(bound.rows, 'row')} returned, ${formatBytes(bound.bytes)} read`,
    `\`${bound.formula}\`${numbers === bound.formula ? '' : ` = \`${numbers}\``}`,
    bound.terms.map((term) => `- \`${term.symbol}\` = ${formatCount(term.value)}: ${term.reason}`).join('\n'),
  ]
    .filter(Boolean)
    .join('\n\n')
}

function tableText(table: Table): string {
  const limits = table.limits.map((limit) => `- at most ${formatCount(limit.limit)} rows per ${limit.columns.join(', ')}`)
  return [`**${table.name}** · key (${table.primary_key.join(', ')})`, limits.join('\n'), table.columns.map((column) => `\`${column.name} ${column.type}\``).join(', ')]
    .filter(Boolean)
    .join('\n\n')
}

/** Fixes are offered wherever the finding is marked: in the query, at its labels, and on the table. */
async function fixesAt(model: editor.ITextModel, range: IRange): Promise<languages.CodeActionList> {
  const compilation = await currentCompilation()
  const nothing = { actions: [], dispose: () => undefined }
  if (!compilation || model.isDisposed()) return nothing
  const path = pathOf(model.uri)
  const actions = compilation.diagnostics
    .filter((diagnostic) => diagnostic.fixes.length > 0 && placesOf(compilation, diagnostic).some((place) => place.file === path && touches(place, range)))
    .flatMap((diagnostic) => diagnostic.fixes.map((fix) => codeAction(diagnostic, fix, path)))
  return { ...nothing, actions: distinct(actions) }
}

function placesOf(compilation: Compilation, diagnostic: Diagnostic): Range[] {
  const segments = compilation.queries.filter((query) => query.name === diagnostic.query).flatMap((query) => query.unbounded)
  return [
    diagnostic.range,
    ...diagnostic.labels.map((label) => label.range),
    ...segments.flatMap((segment) => [...segment.ranges, segment.table_range, tableRange(compilation, segment.table)]),
  ].filter((range): range is Range => range !== null)
}

function touches(place: Range, range: IRange): boolean {
  return MonacoRange.areIntersectingOrTouching(rangeOf(place), range)
}

function codeAction(diagnostic: Diagnostic, fix: Diagnostic['fixes'][number], path: string): languages.CodeAction {
  const others = fix.unblocks.length > 0 ? ` (also unblocks ${fix.unblocks.join(', ')})` : ''
  return {
    title: `${fix.title}${others}`,
    kind: 'quickfix',
    diagnostics: diagnostic.range.file === path ? [{ ...rangeOf(diagnostic.range), severity: 8, message: diagnostic.message }] : [],
    edit: {
      edits: fix.edits.map((edit) => ({
        resource: uriOf(edit.range.file),
        versionId: modelOf(edit.range.file)?.getVersionId(),
        textEdit: { range: rangeOf(edit.range), text: edit.text },
      })),
    },
  }
}

/** Several queries refused for one reason offer the same fix; it is listed once. */
function distinct(actions: readonly languages.CodeAction[]): languages.CodeAction[] {
  const seen = new Map<string, languages.CodeAction>()
  for (const action of actions) {
    const key = JSON.stringify(action.edit?.edits.map((edit) => ('textEdit' in edit ? [edit.resource.path, edit.textEdit] : [])))
    if (!seen.has(key)) seen.set(key, action)
  }
  return [...seen.values()]
}

const KINDS: Readonly<Record<string, languages.CompletionItemKind>> = {
  keyword: languages.CompletionItemKind.Keyword,
  table: languages.CompletionItemKind.Struct,
  column: languages.CompletionItemKind.Field,
  type: languages.CompletionItemKind.TypeParameter,
  parameter: languages.CompletionItemKind.Variable,
  function: languages.CompletionItemKind.Function,
}

async function completionsAt(
  model: editor.ITextModel,
  position: { lineNumber: number; column: number },
  _context: languages.CompletionContext,
  token: CancellationToken,
): Promise<languages.CompletionList> {
  const abort = new AbortController()
  token.onCancellationRequested(() => abort.abort())
  const word = model.getWordUntilPosition(position)
  const range = new MonacoRange(position.lineNumber, word.startColumn, position.lineNumber, word.endColumn)
  try {
    const completions = await answered(
      api.POST('/api/completions', {
        body: { files: sourceFiles(), file: pathOf(model.uri), line: position.lineNumber, column: position.column },
        signal: abort.signal,
      }),
    )
    return {
      suggestions: completions.map((completion, index) => ({
        label: completion.label,
        kind: KINDS[completion.kind] ?? languages.CompletionItemKind.Text,
        detail: completion.detail,
        insertText: completion.insert_text,
        sortText: String(index).padStart(4, '0'),
        range,
      })),
    }
  } catch {
    // A completion that fails or is overtaken offers nothing; the text is not at stake.
    return { suggestions: [] }
  }
}
