/**
 * Compiles the texts as they are typed: one request at a time counts, a newer text aborts the older one's request, and
 * the last answer stays until the next is there.
 */
import { create } from 'zustand'
import { ApiError, answered, api, Unreachable } from '../api/client'
import type { Compilation } from '../api/types'
import { sourceFiles, useDocuments } from './documents'

interface CompilationState {
  compilation: Compilation | null
  /** The version of the documents that `compilation` speaks of. */
  version: number
  /** The query whose stages `compilation` holds; those of the others are empty. */
  stagesOf: string | null
  /** Why the text as it is now could not be compiled; `compilation` is then of an earlier one. */
  error: string | null
}

export const useCompilationState = create<CompilationState>(() => ({
  compilation: null,
  version: -1,
  stagesOf: null,
  error: null,
}))

const PAUSE_MS = 8
const RETRY_MS = 1000

let timer: ReturnType<typeof setTimeout> | undefined
let running: AbortController | null = null
let wanted: string | null = null

export function startCompiling(): () => void {
  const stop = useDocuments.subscribe((state, previous) => {
    if (state.version !== previous.version) schedule(previous.application === state.application ? PAUSE_MS : 0)
  })
  schedule(0)
  return () => {
    stop()
    clearTimeout(timer)
    running?.abort()
  }
}

/** Compiles again though no text changed: the server may have come back. */
export function compileAgain(): void {
  schedule(0)
}

/** Asks for the stages of the query that is looked at; the others need none, and there may be very many. */
export function showStagesOf(query: string | null): void {
  if (wanted === query) return
  wanted = query
  schedule(0)
}

/** The compilation of the text as it is now; waits for the one under way. */
export function currentCompilation(): Promise<Compilation | null> {
  const isCurrent = () => useCompilationState.getState().version === useDocuments.getState().version
  if (isCurrent()) return Promise.resolve(useCompilationState.getState().compilation)
  return new Promise((resolve) => {
    const finish = (compilation: Compilation | null) => {
      clearTimeout(limit)
      stop()
      resolve(compilation)
    }
    const limit = setTimeout(() => finish(null), 2000)
    const stop = useCompilationState.subscribe((state) => {
      if (isCurrent()) finish(state.compilation)
    })
  })
}

function schedule(pauseMs: number): void {
  clearTimeout(timer)
  timer = setTimeout(() => void compile(), pauseMs)
}

async function compile(): Promise<void> {
  const { version, application } = useDocuments.getState()
  if (application === null) return
  const stagesOf = wanted
  running?.abort()
  const mine = new AbortController()
  running = mine
  try {
    const compilation = await answered(
      api.POST('/api/compilations', { body: { files: sourceFiles(), stages_of: stagesOf }, signal: mine.signal }),
    )
    if (running !== mine) return
    useCompilationState.setState({ compilation, version, stagesOf, error: null })
  } catch (error) {
    if (running !== mine || mine.signal.aborted) return
    if (error instanceof Unreachable || (error instanceof ApiError && error.status >= 500)) schedule(RETRY_MS)
    useCompilationState.setState({ error: error instanceof Error ? error.message : String(error) })
  }
}
