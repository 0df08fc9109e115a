/** Copies all problems as text, in the order of the list. */
import { copy } from '../../app/clipboard'
import { notify } from '../../app/notices'
import { useCompilationState } from '../../documents/compile-loop'
import { gravestFirst } from '../../logic/problem-order'
import { problemsText } from '../../logic/problem-text'
import { plural } from '../../units'

/** Copies all problems of the last compilation to the clipboard. */
export function copyProblems(): void {
  const compilation = useCompilationState.getState().compilation
  const diagnostics = gravestFirst(compilation?.diagnostics ?? [], compilation?.queries ?? [])
  if (diagnostics.length === 0) notify({ tone: 'info', text: 'There are no problems to copy.' })
  else void copy(problemsText(diagnostics), plural(diagnostics.length, 'problem'))
}
