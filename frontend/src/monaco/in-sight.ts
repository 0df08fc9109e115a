/** Which queries somebody sees in the editor: the compiler is asked for their bounds first. */
import type { Query } from '../api/types'
import { pathOf } from './models'
import type { editor } from './monaco'

export function queriesInSight(code: editor.IStandaloneCodeEditor, queries: readonly Query[]): string[] {
  const model = code.getModel()
  if (!model) return []
  const path = pathOf(model.uri)
  const lines = code.getVisibleRanges()
  return queries
    .filter(
      ({ range }) =>
        range.file === path &&
        lines.some((seen) => range.start_line <= seen.endLineNumber && range.end_line >= seen.startLineNumber),
    )
    .map((query) => query.name)
}
