/**
 * Compiles the texts as they are typed. There is one request at a time: a newer text aborts the request of the older
 * one. The last answer stays in `useCompilationState` until the next one replaces it; where many queries are compiled
 * again, those that somebody looks at are replaced in it before.
 */
import { create } from 'zustand'
import { ApiError, Unreachable } from '../api/client'
import { compileInParts } from '../api/compiling'
import type { Compilation, Query, SourceFile } from '../api/types'
import { sourceFiles, useDocuments } from './documents'

export interface CompilationState {
  /** The application that the texts are of. */
  application: string | null
  compilation: Compilation | null
  /** The texts that `compilation` is of, and the version of the documents that they are. */
  files: SourceFile[]
  version: number
  /** The query whose stages `compilation` holds; those of the others are empty. */
  stagesOf: string | null
  /** Why the text as it is now could not be compiled; `compilation` is then of an earlier one. */
  error: string | null
}

const NOTHING: CompilationState = {
  application: null,
  compilation: null,
  files: [],
  version: -1,
  stagesOf: null,
  error: null,
}

export const useCompilationState = create<CompilationState>(() => NOTHING)

/** Changes within this time, such as all edits of a rename, are compiled together. */
const PAUSE_MS = 8
const RETRY_MS = 1000
/** So many queries are answered first at most: each takes a millisecond, and the others wait for it. */
const MOST_FIRST = 16
/** How long `currentCompilation` waits for an answer. */
const WAIT_MS = 2000

let timer: ReturnType<typeof setTimeout> | undefined
/** Aborts the request that is under way. */
let running: AbortController | null = null
/** Whoever waits for the next answer of the compiler. */
let waiting: (() => void)[] = []
/** The query whose stages the next request asks for; '' for none, null for those of all queries. */
let stagesWanted: string | null = null
/** Gives the names of the queries that somebody sees in the text. */
let inSight: (queries: readonly Query[]) => string[] = () => []

/** Compiles now and after every change of a text, until the returned function is called. */
export function startCompiling(): () => void {
  const stop = useDocuments.subscribe((state, previous) => {
    if (state.version === previous.version) return
    forgetAnother()
    schedule(state.application === previous.application ? PAUSE_MS : 0)
  })
  forgetAnother()
  schedule(0)
  return () => {
    stop()
    clearTimeout(timer)
    running?.abort()
    endWaiting()
  }
}

/** Drops what was compiled of another application than the one that is open. */
function forgetAnother(): void {
  if (useCompilationState.getState().application !== useDocuments.getState().application)
    useCompilationState.setState(NOTHING)
}

/**
 * Compiles again although no text has changed, because the server has come back. Resolves when the compiler has
 * answered or refused the text; where it fails it is asked again. What was asked before is not waited for, because its
 * error would be an old one.
 */
export function compileAgain(): Promise<void> {
  if (useDocuments.getState().application === null) return Promise.resolve()
  running?.abort()
  running = null
  schedule(0)
  return new Promise((resolve) => waiting.push(resolve))
}

function endWaiting(): void {
  const resolved = waiting
  waiting = []
  for (const resolve of resolved) resolve()
}

/** Compiles with the stages of one query from now on: stages are large, and only the current query's are shown. */
export function showStagesOf(query: string | null): void {
  if (stagesWanted === query) return
  stagesWanted = query
  schedule(0)
}

/** Answers the queries first from now on that a function finds to be in sight; null for none. */
export function answerFirst(find: ((queries: readonly Query[]) => string[]) | null): void {
  inSight = find ?? (() => [])
}

/** What is looked at: the current query, those in sight in the text, or the first ones where there are none. */
function firstQueries(): string[] {
  const queries = useCompilationState.getState().compilation?.queries ?? []
  const seen = inSight(queries)
  const names = seen.length > 0 ? seen : queries.slice(0, MOST_FIRST).map((query) => query.name)
  return [...new Set([...(stagesWanted ? [stagesWanted] : []), ...names])].slice(0, MOST_FIRST)
}

/** Replaces queries in the present compilation by those of the next one. */
function showEarly(queries: readonly Query[]): void {
  const { compilation } = useCompilationState.getState()
  if (!compilation) return
  const early = new Map(queries.map((query) => [query.name, query]))
  const mixed = compilation.queries.map((query) => early.get(query.name) ?? query)
  useCompilationState.setState({ compilation: { ...compilation, queries: mixed } })
}

/** The compilation of the present texts, after waiting for it; null if it does not arrive in time. */
export function currentCompilation(): Promise<Compilation | null> {
  const isCurrent = () => useCompilationState.getState().version === useDocuments.getState().version
  if (isCurrent()) return Promise.resolve(useCompilationState.getState().compilation)
  return new Promise((resolve) => {
    const finish = (compilation: Compilation | null) => {
      clearTimeout(limit)
      stop()
      resolve(compilation)
    }
    const limit = setTimeout(() => finish(null), WAIT_MS)
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
  if (application === null) return endWaiting()
  const files = sourceFiles()
  const stagesOf = stagesWanted
  running?.abort()
  const request = new AbortController()
  running = request
  try {
    const body = { files, stages_of: stagesOf, first: firstQueries() }
    const compilation = await compileInParts(body, request.signal, (queries) => {
      if (running === request) showEarly(queries)
    })
    if (running !== request) return
    useCompilationState.setState({ application, compilation, files, version, stagesOf, error: null })
  } catch (error) {
    if (running !== request || request.signal.aborted) return
    useCompilationState.setState({ error: error instanceof Error ? error.message : String(error) })
    if (error instanceof Unreachable || (error instanceof ApiError && error.status >= 500)) return schedule(RETRY_MS)
  }
  endWaiting()
}
