/** Questions about one file: its outline, what can be folded, the meaning of its words, and its formatted text. */
import { ApiError, answered, api, messageOf } from '../../api/client'
import type { OutlineItem, TokenType } from '../../api/types'
import { reveal } from '../../app/editor-bridge'
import { notify } from '../../app/notices'
import { sourceFiles } from '../../documents/documents'
import { pathOf, rangeOf, shownPaths } from '../models'
import { languages } from '../monaco'
import { fileOf, quietly } from './ask'
import { onMeaning } from './meaning'
import { atRest } from './rest'
import { wordsOf } from './words'

const SYMBOLS: Readonly<Record<OutlineItem['kind'], languages.SymbolKind>> = {
  table: languages.SymbolKind.Struct,
  column: languages.SymbolKind.Field,
  index: languages.SymbolKind.Key,
  query: languages.SymbolKind.Function,
}

export const outline: languages.DocumentSymbolProvider = {
  provideDocumentSymbols: async (model, token) => {
    const items = await quietly(token, (signal) => api.POST('/api/language/outlines', { body: fileOf(model), signal }))
    return (items ?? []).map(symbolOf)
  },
}

function symbolOf(item: OutlineItem): languages.DocumentSymbol {
  return {
    name: item.name,
    detail: item.detail,
    kind: SYMBOLS[item.kind],
    tags: [],
    range: rangeOf(item.range),
    selectionRange: rangeOf(item.name_range),
    children: item.children.map(symbolOf),
  }
}

export const folds: languages.FoldingRangeProvider = {
  provideFoldingRanges: async (model, _context, token) => {
    if (!(await atRest(model))) return null // Monaco asks again after each change
    const body = fileOf(model)
    const files = sourceFiles()
    // A text that is only looked at, such as a deployed one, is not among the files.
    const isPresent = files.some(({ path, text }) => path === body.path && text === body.text)
    const ranges = isPresent
      ? (await wordsOf(body.path, files, token))?.folds
      : await quietly(token, (signal) => api.POST('/api/language/folds', { body, signal }))
    return ranges?.map((fold) => ({
      start: fold.start_line,
      end: fold.end_line,
      ...(fold.kind === 'comment' ? { kind: languages.FoldingRangeKind.Comment } : {}),
    }))
  },
}

/**
 * The types that Monaco colours, in the order of the legend. The server numbers types in an order of its own. Types
 * that are not in this list are coloured by language.ts alone, so that they do not change their colour while a text is
 * typed.
 */
const TOKEN_TYPES: readonly TokenType[] = [
  'keyword',
  'type',
  'function',
  'table',
  'column',
  'alias',
  'output',
  'parameter',
  'query',
  'index',
  'name',
]
const NO_COLOUR = TOKEN_TYPES.length

export const tokens: languages.DocumentSemanticTokensProvider = {
  getLegend: () => ({ tokenTypes: [...TOKEN_TYPES], tokenModifiers: ['definition'] }),
  onDidChange: (listener) => ({ dispose: onMeaning(shownPaths, listener) }),
  provideDocumentSemanticTokens: async (model, _last, token) => {
    // To Monaco, this word says that it shall keep the colours, and ask again about the text of then.
    if (!(await atRest(model))) throw new Error('busy')
    const answer = await wordsOf(pathOf(model.uri), sourceFiles(), token)
    if (!answer) return null
    const numbers = answer.types.map((type) => (TOKEN_TYPES.includes(type) ? TOKEN_TYPES.indexOf(type) : NO_COLOUR))
    // Five numbers a token: line and column relative to the last one, length, type, modifiers.
    const data = Uint32Array.from(answer.data, (value, index) =>
      index % 5 === 3 ? (numbers[value] ?? NO_COLOUR) : value,
    )
    return { data }
  },
  releaseDocumentSemanticTokens: () => undefined,
}

export const formatting: languages.DocumentFormattingEditProvider = {
  displayName: 'PIQL',
  provideDocumentFormattingEdits: async (model) => {
    try {
      const edits = await answered(api.POST('/api/language/formats', { body: fileOf(model) }))
      return edits.map((edit) => ({ range: rangeOf(edit.range), text: edit.text }))
    } catch (error) {
      const range = error instanceof ApiError ? error.diagnostics[0]?.range : undefined
      const action = range ? { action: { label: 'Show', run: () => reveal(range, true) } } : {}
      notify({ tone: 'danger', text: messageOf(error), ...action })
      return []
    }
  },
}
