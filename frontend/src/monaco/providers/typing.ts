/** Help while typing: completions, and the parameters of a function inside its parentheses. */
import { api } from '../../api/client'
import type { Completion } from '../../api/types'
import { languages, Range } from '../monaco'
import { questionAt, quietly } from './ask'

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
    const completions = await quietly(token, (signal) =>
      api.POST('/api/language/completions', { body: questionAt(model, position), signal }),
    )
    return {
      suggestions: (completions ?? []).map((item, index) => ({
        label: item.label,
        kind: KINDS[item.kind],
        detail: item.detail,
        insertText: item.insert_text,
        sortText: String(index).padStart(4, '0'), // keeps the order of the server
        range,
      })),
    }
  },
}

export const signatures: languages.SignatureHelpProvider = {
  signatureHelpTriggerCharacters: ['(', ','],
  signatureHelpRetriggerCharacters: [')'],
  provideSignatureHelp: async (model, position, token) => {
    const help = await quietly(token, (signal) =>
      api.POST('/api/language/signatures', { body: questionAt(model, position), signal }),
    )
    if (!help) return null
    const parameters = help.parameters.map(({ start, end }) => ({ label: [start, end] as [number, number] }))
    const signature = { label: help.label, documentation: help.documentation, parameters }
    return {
      value: { signatures: [signature], activeSignature: 0, activeParameter: help.active },
      dispose: () => undefined,
    }
  },
}
