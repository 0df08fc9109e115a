/** Copies all problems as text, in the order of the list. */
import type { Diagnostic, Query } from '../../api/types'
import { copy } from '../../app/clipboard'
import { notify } from '../../app/notices'
import { useCompilationState } from '../../documents/compile-loop'
import { problemsText } from '../../logic/problem-text'
import { plural } from '../../units'

const ORDER = { error: 0, warning: 1, info: 2 }

/** Errors, then warnings, then hints; of each, those of the queries that may make the most requests first. */
export function gravestFirst(diagnostics: readonly Diagnostic[], queries: readonly Query[]): Diagnostic[] {
  const requests = new Map(queries.map((query) => [query.name, query.bound?.operations ?? 0]))
  const cost = ({ query }: Diagnostic) => requests.get(query ?? '') ?? 0
  return diagnostics.toSorted((a, b) => ORDER[a.severity] - ORDER[b.severity] || cost(b) - cost(a))
}

/** Copies all problems of the last compilation to the clipboard. */
export function copyProblems(): void {
  const compilation = useCompilationState.getState().compilation
  const diagnostics = gravestFirst(compilation?.diagnostics ?? [], compilation?.queries ?? [])
  if (diagnostics.length === 0) notify({ tone: 'info', text: 'There are no problems to copy.' })
  else void copy(problemsText(diagnostics), plural(diagnostics.length, 'problem'))
}
