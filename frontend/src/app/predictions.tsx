/**
 * The predicted latency of every query in the text, from the chosen profile run, for the lines above queries and
 * panels. `Predictions` asks for them once, for all that is below it on the page.
 */

import { useQueries, useQuery } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext } from 'react'
import { prediction, profileRuns } from '../api/queries'
import type { NoPrediction, Prediction, ProfileRun, Query, SourceFile } from '../api/types'
import { useShownAnswer } from './shown-compilation'
import { targetOf, useDefaultSlo, useSavedSlos } from './slos'
import { useEnvironment, useView } from './url-state'

/** The run of the URL, or the latest that measured to the end. */
export function useChosenRun(): ProfileRun | null {
  const environment = useEnvironment()
  const { run } = useView()
  const { data } = useQuery(profileRuns(environment))
  const finished = (data ?? []).filter((profileRun) => profileRun.state === 'done')
  return finished.find((profileRun) => profileRun.id === run) ?? latest(finished)
}

interface Answers {
  predicted: ReadonlyMap<string, Prediction>
  lacking: ReadonlyMap<string, NoPrediction>
}

const AnswersContext = createContext<Answers>({ predicted: new Map(), lacking: new Map() })

/**
 * Asks for a prediction of every bounded query, by the SLO that is tried in the heatmap, else the saved or default one,
 * for `usePredictions` and `useLacks` in its children.
 */
export function Predictions({ children }: { children: ReactNode }) {
  const environment = useEnvironment()
  const { compilation, files } = useShownAnswer()
  const run = useChosenRun()
  const { slo: tried } = useView()
  const saved = useSavedSlos()
  const usual = useDefaultSlo()
  const queries = run ? (compilation?.queries ?? []).filter((query) => query.bound) : []
  const answers = useQueries({
    queries: queries.map((query) =>
      prediction(
        environment,
        planKey(query),
        files,
        query.name,
        run?.id ?? '',
        tried ?? targetOf(saved.get(query.name) ?? usual),
      ),
    ),
    combine: answersOf,
  })
  return <AnswersContext value={answers}>{children}</AnswersContext>
}

/** The prediction of each query that has one, by the query's name. */
export function usePredictions(): ReadonlyMap<string, Prediction> {
  return useContext(AnswersContext).predicted
}

/**
 * The predictions of some queries of other texts than the editor's, all of them bounded, by the chosen run and the saved
 * SLOs; empty without a run. `version` names the texts: equal names have equal texts.
 */
export function usePredictionsOf(
  version: string,
  files: SourceFile[],
  queries: readonly string[],
): ReadonlyMap<string, Prediction> {
  const environment = useEnvironment()
  const run = useChosenRun()
  const saved = useSavedSlos()
  const usual = useDefaultSlo()
  return useQueries({
    queries: (run ? queries : []).map((name) =>
      prediction(environment, version, files, name, run?.id ?? '', targetOf(saved.get(name) ?? usual)),
    ),
    combine: predictedOf,
  })
}

/** The queries that the run cannot predict, by name, each with the points that the run lacks. */
export function useLacks(): ReadonlyMap<string, NoPrediction> {
  return useContext(AnswersContext).lacking
}

/** A key of everything in a query that its prediction depends on: equal keys have equal predictions. */
export function planKey(query: Query): string {
  return JSON.stringify([query.text, query.bound?.by_operator, query.bound?.terms.map((term) => term.value)])
}

/** Whether an answer is a prediction: only predictions (numbers, curves and maps) name the model that they come from. */
export function isPredicted<T extends object>(answer: T | NoPrediction): answer is T {
  return 'model' in answer
}

function answersOf(results: readonly { data?: Prediction | NoPrediction | undefined }[]): Answers {
  const answers = results.flatMap(({ data }) => data ?? [])
  return {
    predicted: new Map(answers.flatMap((answer) => (isPredicted(answer) ? [[answer.query, answer] as const] : []))),
    lacking: new Map(answers.flatMap((answer) => (isPredicted(answer) ? [] : [[answer.query, answer] as const]))),
  }
}

function predictedOf(results: readonly { data?: Prediction | NoPrediction | undefined }[]) {
  return answersOf(results).predicted
}

function latest(runs: readonly ProfileRun[]): ProfileRun | null {
  return runs.toSorted((a, b) => (b.ended_at ?? '').localeCompare(a.ended_at ?? ''))[0] ?? null
}
