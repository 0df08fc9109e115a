/**
 * Batches predictions: all that are asked for in one turn of the event loop go to the server in one request for each
 * compiled text, profile run and SLO, because every query in the text asks for its own.
 */
import { answered, api } from './client'
import { ENVIRONMENT, type EnvironmentName } from './environment'
import type { NoPrediction, Prediction, SloWrite, SourceFile } from './types'

export interface PredictionAsk {
  environment: EnvironmentName
  /** The texts that the query was compiled from. */
  files: SourceFile[]
  query: string
  runId: string
  slo: SloWrite
}

interface Waiting {
  ask: PredictionAsk
  resolve: (answer: Prediction | NoPrediction) => void
  reject: (error: unknown) => void
}

/** The server's limit of queries in one request. */
const MOST_QUERIES = 1000
let waiting: Waiting[] = []

/** The prediction of one query, or why there is none. Rejects if the query has no bound in the texts that were sent. */
export function askPrediction(ask: PredictionAsk): Promise<Prediction | NoPrediction> {
  return new Promise((resolve, reject) => {
    if (waiting.length === 0) setTimeout(send, 0)
    waiting.push({ ask, resolve, reject })
  })
}

/** Sends all that wait, grouped by what is the same for a request. */
function send(): void {
  const groups: Waiting[][] = []
  for (const waiter of waiting) {
    const group = groups.find(([first]) => first && isOfOneRequest(first.ask, waiter.ask))
    if (group) group.push(waiter)
    else groups.push([waiter])
  }
  waiting = []
  for (const group of groups) {
    for (let start = 0; start < group.length; start += MOST_QUERIES)
      void answer(group.slice(start, start + MOST_QUERIES))
  }
}

function isOfOneRequest(left: PredictionAsk, right: PredictionAsk): boolean {
  return left.files === right.files && restOf(left) === restOf(right)
}

function restOf({ environment, runId, slo }: PredictionAsk): string {
  return JSON.stringify([environment, runId, slo])
}

/** One request for a group, whose answer settles the promise of each query. */
async function answer(group: readonly Waiting[]): Promise<void> {
  const ask = group[0]?.ask
  if (!ask) return
  try {
    const queries = group.map((waiter) => waiter.ask.query)
    const { predictions } = await answered(
      api.POST(`${ENVIRONMENT}/prediction-sets`, {
        params: { path: ask.environment },
        body: { files: ask.files, queries, run_id: ask.runId, slo: ask.slo },
      }),
    )
    const byQuery = new Map(predictions.map((prediction) => [prediction.query, prediction]))
    for (const waiter of group) {
      const prediction = byQuery.get(waiter.ask.query)
      if (prediction) waiter.resolve(prediction)
      else waiter.reject(new Error(`${waiter.ask.query} has no bound any more.`))
    }
  } catch (error) {
    for (const waiter of group) waiter.reject(error)
  }
}
