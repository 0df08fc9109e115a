/**
 * Edits of several files as one, such as a rename: all are applied or none, and one undo takes all of them back.
 * Monaco's own service undoes file by file, so this module replaces it. It must be imported before Monaco is used for
 * the first time, because Monaco creates its services once.
 */
import { StandaloneServices } from 'monaco-editor/editor/standalone/browser/standaloneServices'
import { plural } from '../units'
import { applyTogether, type ModelEdits } from './grouped-edits'
import { openModel, pathOf } from './models'
import type { languages, Uri } from './monaco'

StandaloneServices.initialize({
  // Monaco's own service knows only models that are there already; a popup with references shows texts of any file.
  textModelService: {
    createModelReference: async (resource: Uri) => {
      const model = openModel(pathOf(resource))
      if (!model) throw new Error(`there is no file ${pathOf(resource)}`)
      return { object: { textEditorModel: model }, dispose: () => undefined }
    },
  },
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

/** Throws if there is no such file or it has changed since the edit was computed for its version. */
function editsByModel(edits: readonly languages.IWorkspaceTextEdit[]): ModelEdits {
  const byModel: ModelEdits = new Map()
  for (const { resource, versionId, textEdit } of edits) {
    const model = openModel(pathOf(resource))
    if (!model || (versionId !== undefined && model.getVersionId() !== versionId))
      throw new Error('the text has changed meanwhile')
    const group = byModel.get(model)
    if (group) group.push(textEdit)
    else byModel.set(model, [textEdit])
  }
  return byModel
}
