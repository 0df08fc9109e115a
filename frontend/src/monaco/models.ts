/**
 * Keeps the texts of Monaco's models and of the documents (documents/documents.ts) the same: typing goes from a model
 * to its document, changes of the server and fixes go from a document to its model. Also converts paths and ranges.
 */

import { setApplier, setText, useDocuments } from '../documents/documents'
import type { TextEdit, TextRange } from '../logic/shapes'
import { applyTogether } from './bulk-edits'
import { LANGUAGE } from './language'
import { editor, type IRange, Uri } from './monaco'

/** By path, the last text that model and document had in common; a document with another text has changed since. */
const commonTexts = new Map<string, string>()

/** By path, who hears of a change before its document does: the live session, which knows what a draft has to hold. */
const firstListeners = new Map<string, (event: editor.IModelContentChangedEvent) => void>()

/** Lets somebody hear of each change of a text before its document does; with null nobody any more. */
export function listenFirst(path: string, listener: ((event: editor.IModelContentChangedEvent) => void) | null): void {
  if (listener) firstListeners.set(path, listener)
  else firstListeners.delete(path)
}

export function uriOf(path: string): Uri {
  return Uri.from({ scheme: 'piql', path: `/${path}` })
}

export function pathOf(uri: Uri): string {
  return uri.path.slice(1)
}

export function modelOf(path: string): editor.ITextModel | null {
  return editor.getModel(uriOf(path))
}

export function rangeOf(range: TextRange): IRange {
  return {
    startLineNumber: range.start_line,
    startColumn: range.start_column,
    endLineNumber: range.end_line,
    endColumn: range.end_column,
  }
}

/** Creates a model for each document and keeps both the same until the returned function is called. */
export function syncModels(): () => void {
  syncFromDocuments()
  const stop = useDocuments.subscribe(syncFromDocuments)
  setApplier(applyToModel)
  return () => {
    stop()
    setApplier(null)
    for (const model of editor.getModels()) model.dispose()
    commonTexts.clear()
  }
}

function syncFromDocuments(): void {
  const { files } = useDocuments.getState()
  for (const { path, text } of files) {
    const model = modelOf(path)
    if (!model) {
      commonTexts.set(path, text)
      const created = editor.createModel(text, LANGUAGE, uriOf(path))
      created.updateOptions({
        tabSize: 2,
        insertSpaces: true,
        bracketColorizationOptions: { enabled: false, independentColorPoolPerBracketType: false },
      })
      created.onDidChangeContent((event) => {
        firstListeners.get(path)?.(event)
        const value = created.getValue()
        commonTexts.set(path, value)
        setText(path, value)
      })
    } else if (commonTexts.get(path) !== text) {
      commonTexts.set(path, text)
      replaceAll(model, text)
    }
  }
  const paths = new Set(files.map((file) => file.path))
  for (const model of editor.getModels()) {
    if (model.uri.scheme !== 'piql' || paths.has(pathOf(model.uri))) continue
    commonTexts.delete(pathOf(model.uri))
    model.dispose()
  }
}

/** The `Applier` of documents.ts: applies edits, or with null the whole text, as one step of undo. */
function applyToModel(path: string, edits: readonly TextEdit[] | null, text: string): boolean {
  const model = modelOf(path)
  if (!model) return false
  if (edits === null) replaceAll(model, text)
  else applyTogether(new Map([[model, edits.map((edit) => ({ range: rangeOf(edit.range), text: edit.text }))]]))
  return true
}

function replaceAll(model: editor.ITextModel, text: string): void {
  if (model.getValue() !== text) applyTogether(new Map([[model, [{ range: model.getFullModelRange(), text }]]]))
}
