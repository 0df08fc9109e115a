/** Copies all problems as text, in the order of the list. */
import type { Diagnostic } from '../../api/types'
import { copy } from '../../app/clipboard'
import { notify } from '../../app/notices'
import { useCompilationState } from '../../documents/compile-loop'
import { problemsText } from '../../logic/problem-text'
import { plural } from '../../units'

const ORDER = { error: 0, warning: 1, info: 2 }

/** Errors, then warnings, then hints. */
export function gravestFirst(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return diagnostics.toSorted((a, b) => ORDER[a.severity] - ORDER[b.severity])
}

/** Copies all problems of the last compilation to the clipboard. */
export function copyProblems(): void {
  const diagnostics = gravestFirst(useCompilationState.getState().compilation?.diagnostics ?? [])
  if (diagnostics.length === 0) notify({ tone: 'info', text: 'There are no problems to copy.' })
  else void copy(problemsText(diagnostics), plural(diagnostics.length, 'problem'))
}
