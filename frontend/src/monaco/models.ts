/**
 * Keeps the texts of Monaco's models and of the documents (documents/documents.ts) the same: typing goes from a model
 * to its document, changes of the server and fixes go from a document to its model. Also converts paths and ranges.
 *
 * A document has a model only from when its text is shown or edited in Monaco (`openModel`): each model costs time at
 * every compilation, and there may be a thousand files. Of the models without edits that could be undone, the last
 * shown ones stay (`closeIdleModels`).
 */

import { ILanguageService } from 'monaco-editor/editor/common/languages/language'
import { IModelService } from 'monaco-editor/editor/common/services/model'
import { StandaloneServices } from 'monaco-editor/editor/standalone/browser/standaloneServices'
import { documentAt, isSavedLive, setApplier, setText, type TextDocument, useDocuments } from '../documents/documents'
import type { TextEdit, TextRange } from '../logic/shapes'
import { applyTogether } from './grouped-edits'
import { LANGUAGE } from './language'
import { editor, type IRange, Uri } from './monaco'

/**
 * By path of each model, the last text that it and its document had in common; a document with another text has changed
 * since. The model that was made or shown last is the last one.
 */
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

/** The paths of all files that an editor shows. */
export function shownPaths(): string[] {
  return [...commonTexts.keys()].filter((path) => modelOf(path)?.isAttachedToEditor())
}

function modelOf(path: string): editor.ITextModel | null {
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

/** Keeps models and documents the same until the returned function is called. */
export function syncModels(): () => void {
  const stop = useDocuments.subscribe((state, previous) => {
    if (state.files !== previous.files) syncFromDocuments()
  })
  setApplier(applyToModel)
  return () => {
    stop()
    setApplier(null)
    for (const model of editor.getModels()) model.dispose()
    commonTexts.clear()
  }
}

/** The model of a document, made when it is first needed; null if there is no such document. */
export function openModel(path: string): editor.ITextModel | null {
  const document = documentAt(path)
  return modelOf(path) ?? (document ? createModel(document) : null)
}

/**
 * The version of a file's model if its text is still `text`, else one that no model has: edits that were computed for
 * `text` must not be applied to another one.
 */
export function versionOf(path: string, text: string | undefined): number {
  const model = documentAt(path)?.text === text ? openModel(path) : null
  return model?.getVersionId() ?? -1
}

/** So many models without edits stay, those that were made or shown last. */
const IDLE_MODELS = 20

/** Disposes the models that nothing needs, the oldest first, once they are too many. */
export function closeIdleModels(shown: string): void {
  const common = commonTexts.get(shown)
  if (common !== undefined) {
    commonTexts.delete(shown)
    commonTexts.set(shown, common) // the last one of the order
  }
  const idle = [...commonTexts.keys()].filter(isIdle)
  for (const path of idle.slice(0, Math.max(0, idle.length - IDLE_MODELS))) close(path)
}

/** Whether a model is not shown, has nothing that could be undone, and its text is saved and not edited with others. */
function isIdle(path: string): boolean {
  const model = modelOf(path)
  if (!model || model.isAttachedToEditor() || model.canUndo() || model.canRedo()) return false
  return !isSavedLive(path) && documentAt(path)?.saveState === 'saved'
}

function close(path: string): void {
  commonTexts.delete(path)
  modelOf(path)?.dispose()
}

/** The language of all models: each that had a selection of its own would listen to the registry of languages. */
let language: ReturnType<ILanguageService['createById']> | undefined

function createModel({ path, text }: TextDocument): editor.ITextModel {
  language ??= StandaloneServices.get(ILanguageService).createById(LANGUAGE)
  const model = StandaloneServices.get(IModelService).createModel(text, language, uriOf(path))
  commonTexts.set(path, text)
  model.updateOptions({
    tabSize: 2,
    insertSpaces: true,
    bracketColorizationOptions: { enabled: false, independentColorPoolPerBracketType: false },
  })
  model.onDidChangeContent((event) => {
    firstListeners.get(path)?.(event)
    const value = model.getValue()
    commonTexts.set(path, value)
    setText(path, value)
  })
  return model
}

function syncFromDocuments(): void {
  const { files } = useDocuments.getState()
  const texts = new Map(files.map(({ path, text }) => [path, text]))
  for (const [path, common] of [...commonTexts]) {
    const text = texts.get(path)
    const model = modelOf(path)
    if (text === undefined || !model) close(path)
    else if (common !== text) {
      commonTexts.set(path, text)
      replaceAll(model, text)
    }
  }
}

/** The `Applier` of documents.ts: applies edits, or with null the whole text, as one step of undo. */
function applyToModel(path: string, edits: readonly TextEdit[] | null, text: string): boolean {
  const model = openModel(path)
  if (!model) return false
  if (edits === null) replaceAll(model, text)
  else applyTogether(new Map([[model, edits.map((edit) => ({ range: rangeOf(edit.range), text: edit.text }))]]))
  return true
}

function replaceAll(model: editor.ITextModel, text: string): void {
  if (model.getValue() !== text) applyTogether(new Map([[model, [{ range: model.getFullModelRange(), text }]]]))
}
