/**
 * Edits of several files as one, such as a rename: all are applied or none, and one undo takes all of them back.
 * Monaco's own service undoes file by file, so this module replaces it. It must be imported before Monaco is used for
 * the first time, because Monaco creates its services once.
 */
import { StandaloneServices } from 'monaco-editor/editor/standalone/browser/standaloneServices'
import { UndoRedoGroup } from 'monaco-editor/platform/undoRedo/common/undoRedo'
import { plural } from '../units'
import { editor, type languages } from './monaco'

type ModelEdits = Map<editor.ITextModel, editor.IIdentifiedSingleEditOperation[]>

StandaloneServices.initialize({
  IWorkspaceEditService: {
    hasPreviewHandler: () => false,
    setPreviewHandler: () => ({ dispose: () => undefined }),
    apply: async (edit: languages.WorkspaceEdit | languages.IWorkspaceTextEdit[]) => {
      const edits = editsByModel((Array.isArray(edit) ? edit : edit.edits) as languages.IWorkspaceTextEdit[])
      applyTogether(edits)
      const count = [...edits.values()].reduce((sum, modelEdits) => sum + modelEdits.length, 0)
      return {
        isApplied: count > 0,
        ariaSummary: count > 0 ? `${plural(count, 'edit')} in ${plural(edits.size, 'file')}` : '',
      }
    },
  },
})

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

/** Throws if a file has no model or has changed since the edit was computed for its version. */
function editsByModel(edits: readonly languages.IWorkspaceTextEdit[]): ModelEdits {
  const byModel: ModelEdits = new Map()
  for (const { resource, versionId, textEdit } of edits) {
    const model = editor.getModel(resource)
    if (!model || (versionId !== undefined && model.getVersionId() !== versionId))
      throw new Error('the text has changed meanwhile')
    const group = byModel.get(model)
    if (group) group.push(textEdit)
    else byModel.set(model, [textEdit])
  }
  return byModel
}
