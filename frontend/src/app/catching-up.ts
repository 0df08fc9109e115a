/**
 * Reads everything again after the server or its store was away, and says when that is done. Until then old answers and
 * errors stand on the page, so it is not said before that all is up to date, nor where something could not be read.
 */
import type { Query, QueryClient } from '@tanstack/react-query'
import { create } from 'zustand'
import { ApiError, messageOf } from '../api/client'
import { compileAgain, useCompilationState } from '../documents/compile-loop'
import { saveAgain } from '../documents/saving'
import { notify } from './notices'

/** Kinds of queries that are not read again: the pulse is what is watched, and new samples would change a form in use. */
const NOT_READ_AGAIN = ['pulse', 'sample-parameters']

/** What is over while its answers are read again; null while nothing is. */
export const useCatchingUp = create<{ after: string | null }>(() => ({ after: null }))

/** Counts what began, and what gave up: only the last may say that it is done. */
let turns = 0

/** Reads all answers again, and compiles and saves the texts again, after what is said to be over. */
export async function catchUp(queryClient: QueryClient, after: string): Promise<void> {
  turns += 1
  const turn = turns
  useCatchingUp.setState({ after })
  saveAgain()
  const isReadAgain = (query: Query) => !NOT_READ_AGAIN.includes(String(query.queryKey[0]))
  await Promise.all([queryClient.invalidateQueries({ predicate: isReadAgain }), compileAgain()])
  if (turn !== turns) return
  useCatchingUp.setState({ after: null })
  const failure = failureOfReading(queryClient, isReadAgain)
  notify(
    failure === null
      ? { tone: 'success', text: `${after}; everything is up to date again.` }
      : { tone: 'danger', text: `${after}, but not everything could be read again: ${failure}` },
  )
}

/** Why the compiler, or the first query that is shown, has no answer of now; null where all have. */
function failureOfReading(queryClient: QueryClient, isReadAgain: (query: Query) => boolean): string | null {
  const { error } = useCompilationState.getState()
  if (error !== null) return error
  const failed = queryClient
    .getQueryCache()
    .findAll({ type: 'active', predicate: isReadAgain })
    .find(({ state }) => state.status === 'error' && !isAnswer(state.error))
  return failed === undefined ? null : messageOf(failed.state.error)
}

/** Whether an error is what there is to read, such as that nothing is deployed. */
function isAnswer(error: unknown): boolean {
  return error instanceof ApiError && error.status < 500 && error.status !== 429
}

/** What was to be read is away again. */
export function stopCatchingUp(): void {
  turns += 1
  useCatchingUp.setState({ after: null })
}
