/** What may be typed next, and what parentheses expect. */
import { api } from '../../api/client'
import type { Completion } from '../../api/types'
import { languages, Range } from '../monaco'
import { placeOf, quietly } from './ask'

const KINDS: Readonly<Record<Completion['kind'], languages.CompletionItemKind>> = {
  keyword: languages.CompletionItemKind.Keyword,
  table: languages.CompletionItemKind.Struct,
  column: languages.CompletionItemKind.Field,
  alias: languages.CompletionItemKind.Reference,
  type: languages.CompletionItemKind.TypeParameter,
  parameter: languages.CompletionItemKind.Variable,
  function: languages.CompletionItemKind.Function,
  condition: languages.CompletionItemKind.Snippet,
}

export const completion: languages.CompletionItemProvider = {
  triggerCharacters: ['.', '['],
  provideCompletionItems: async (model, position, _context, token) => {
    const word = model.getWordUntilPosition(position)
    const range = new Range(position.lineNumber, word.startColumn, position.lineNumber, word.endColumn)
    const found = await quietly(token, (signal) =>
      api.POST('/api/language/completions', { body: placeOf(model, position), signal }),
    )
    return {
      suggestions: (found ?? []).map((each, index) => ({
        label: each.label,
        kind: KINDS[each.kind],
        detail: each.detail,
        insertText: each.insert_text,
        sortText: String(index).padStart(4, '0'),
        range,
      })),
    }
  },
}

export const signatures: languages.SignatureHelpProvider = {
  signatureHelpTriggerCharacters: ['(', ','],
  signatureHelpRetriggerCharacters: [')'],
  provideSignatureHelp: async (model, position, token) => {
    const found = await quietly(token, (signal) =>
      api.POST('/api/language/signatures', { body: placeOf(model, position), signal }),
    )
    if (!found) return null
    const parameters = found.parameters.map(({ start, end }) => ({ label: [start, end] as [number, number] }))
    const signature = { label: found.label, documentation: found.documentation, parameters }
    return {
      value: { signatures: [signature], activeSignature: 0, activeParameter: found.active },
      dispose: () => undefined,
    }
  },
}
