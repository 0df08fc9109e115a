/** Questions about names: where one is declared and used, and renaming it in all files. */
import { answered, api, messageOf } from '../../api/client'
import type { Edit, Range } from '../../api/types'
import { notify } from '../../app/notices'
import { rangeOf, uriOf, versionOf } from '../models'
import { languages } from '../monaco'
import { questionAt, quietly } from './ask'

export const definitions: languages.DefinitionProvider = {
  provideDefinition: async (model, position, token) => {
    const definition = await quietly(token, (signal) =>
      api.POST('/api/language/definitions', { body: questionAt(model, position), signal }),
    )
    return definition ? locationOf(definition) : null
  },
}

export const references: languages.ReferenceProvider = {
  provideReferences: async (model, position, context, token) => {
    const occurrences = await quietly(token, (signal) =>
      api.POST('/api/language/references', { body: questionAt(model, position), signal }),
    )
    return (occurrences ?? [])
      .filter((occurrence) => context.includeDeclaration || !occurrence.is_definition)
      .map((occurrence) => locationOf(occurrence.range))
  },
}

export const highlights: languages.DocumentHighlightProvider = {
  provideDocumentHighlights: async (model, position, token) => {
    const occurrences = await quietly(token, (signal) =>
      api.POST('/api/language/references', { body: questionAt(model, position), signal }),
    )
    return (occurrences ?? [])
      .filter((occurrence) => uriOf(occurrence.range.file).toString() === model.uri.toString())
      .map((occurrence) => ({
        range: rangeOf(occurrence.range),
        kind: occurrence.is_definition ? languages.DocumentHighlightKind.Write : languages.DocumentHighlightKind.Read,
      }))
  },
}

export const renaming: languages.RenameProvider = {
  resolveRenameLocation: async (model, position) => {
    try {
      const name = await answered(api.POST('/api/language/names', { body: questionAt(model, position) }))
      return { range: rangeOf(name.range), text: name.text }
    } catch (error) {
      return { range: emptyRangeAt(position), text: '', rejectReason: messageOf(error) }
    }
  },
  provideRenameEdits: async (model, position, newName) => {
    const question = questionAt(model, position)
    const texts = new Map(question.files.map((file) => [file.path, file.text]))
    try {
      const edits = await answered(api.POST('/api/language/renames', { body: { ...question, new_name: newName } }))
      return { edits: edits.map((edit) => workspaceEdit(edit, texts.get(edit.range.file))) }
    } catch (error) {
      notify({ tone: 'danger', text: `Nothing is renamed. ${messageOf(error)}` })
      return { edits: [] }
    }
  },
}

/** An edit as Monaco applies it, with the version of the text that it was computed for (see bulk-edits.ts). */
export function workspaceEdit(edit: Edit, text: string | undefined): languages.IWorkspaceTextEdit {
  const { file } = edit.range
  return {
    resource: uriOf(file),
    versionId: versionOf(file, text),
    textEdit: { range: rangeOf(edit.range), text: edit.text },
  }
}

function locationOf(range: Range): languages.Location {
  return { uri: uriOf(range.file), range: rangeOf(range) }
}

function emptyRangeAt({ lineNumber, column }: { lineNumber: number; column: number }) {
  return { startLineNumber: lineNumber, startColumn: column, endLineNumber: lineNumber, endColumn: column }
}
