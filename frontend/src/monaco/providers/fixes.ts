/** The compiler's fixes in the menu of the light bulb, at every range of their problem: query, labels and table. */
import type { Diagnostic, Fix } from '../../api/types'
import { currentCompilation } from '../../documents/compile-loop'
import { documentAt } from '../../documents/documents'
import { pathOf, rangeOf } from '../models'
import { type languages, MarkerSeverity, Range } from '../monaco'
import { workspaceEdit } from './names'

export const fixes: languages.CodeActionProvider = {
  provideCodeActions: async (model, range) => {
    const compilation = await currentCompilation()
    const nothing = { actions: [], dispose: () => undefined }
    if (!compilation || model.isDisposed()) return nothing
    const path = pathOf(model.uri)
    const touched = (diagnostic: Diagnostic) =>
      diagnostic.places.some((place) => place.file === path && Range.areIntersectingOrTouching(rangeOf(place), range))
    const actions = compilation.diagnostics
      .filter(touched)
      .flatMap((diagnostic) => diagnostic.fixes.map((fix) => codeAction(diagnostic, fix, path)))
    const allowing = compilation.diagnostics
      .filter((diagnostic) => diagnostic.allow?.range.file === path && touched(diagnostic))
      .map(allowAction)
    return { ...nothing, actions: distinct([...actions, ...allowing]) }
  },
}

function codeAction(diagnostic: Diagnostic, fix: Fix, path: string): languages.CodeAction {
  return {
    title: fix.menu_title,
    kind: 'quickfix',
    diagnostics:
      diagnostic.range.file === path
        ? [{ ...rangeOf(diagnostic.range), severity: MarkerSeverity.Error, message: diagnostic.message }]
        : [],
    edit: { edits: fix.edits.map((edit) => workspaceEdit(edit, documentAt(edit.range.file)?.text)) },
  }
}

/** Puts the comment above the query that allows a warning; the reason is written then. */
function allowAction({ code, allow }: Diagnostic): languages.CodeAction {
  return {
    title: `Allow ${code} here, with a reason`,
    kind: 'quickfix',
    edit: { edits: allow ? [workspaceEdit(allow, documentAt(allow.range.file)?.text)] : [] },
  }
}

/** Lists equal fixes once: several queries that are refused for one reason have the same. */
function distinct(actions: readonly languages.CodeAction[]): languages.CodeAction[] {
  const seen = new Map<string, languages.CodeAction>()
  for (const action of actions) {
    const key = JSON.stringify(
      action.edit?.edits.map((edit) => ('textEdit' in edit ? [edit.resource.path, edit.textEdit] : [])),
    )
    if (!seen.has(key)) seen.set(key, action)
  }
  return [...seen.values()]
}
