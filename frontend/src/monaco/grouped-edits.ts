/** Edits of several models that are one step: all are applied, and one undo takes all of them back. */
import { UndoRedoGroup } from 'monaco-editor/platform/undoRedo/common/undoRedo'
import type { editor } from './monaco'

export type ModelEdits = Map<editor.ITextModel, editor.IIdentifiedSingleEditOperation[]>

/** Applies edits of several models as one step: undo in any of the files takes back all of them. */
export function applyTogether(edits: ModelEdits): void {
  const group = new UndoRedoGroup()
  for (const [model, modelEdits] of edits) {
    model.pushStackElement()
    // Monaco's type declaration lacks the last parameter, the group of undo.
    const push = model.pushEditOperations as (...parameters: unknown[]) => unknown
    push.call(model, [], modelEdits, () => null, group)
    model.pushStackElement()
  }
}
