/**
 * Edits of several files as one: all are applied or none, and one undo takes all of them back. Monaco's own service undoes
 * file by file. This module is loaded before anything else of Monaco is used, since services are made but once.
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
    apply: async (given: languages.WorkspaceEdit | languages.IWorkspaceTextEdit[]) => {
      const edits = editsByModel((Array.isArray(given) ? given : given.edits) as languages.IWorkspaceTextEdit[])
      applyTogether(edits)
      const count = [...edits.values()].reduce((sum, modelEdits) => sum + modelEdits.length, 0)
      return {
        isApplied: count > 0,
        ariaSummary: count > 0 ? `${plural(count, 'edit')} in ${plural(edits.size, 'file')}` : '',
      }
    },
  },
})

/** One step of undo, in whichever of the files it is asked for. */
export function applyTogether(edits: ModelEdits): void {
  const group = new UndoRedoGroup()
  for (const [model, modelEdits] of edits) {
    model.pushStackElement()
    const push = model.pushEditOperations as (...given: unknown[]) => unknown
    push.call(model, [], modelEdits, () => null, group)
    model.pushStackElement()
  }
}

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
