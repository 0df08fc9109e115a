/** Predictions that are asked for in one moment go to the server in one request, however many queries there are. */
import { answered, api } from './client'
import { ENVIRONMENT, type EnvironmentName } from './environment'
import type { NoPrediction, Prediction, SloWrite, SourceFile } from './types'

export interface PredictionAsk {
  environment: EnvironmentName
  files: () => SourceFile[]
  query: string
  runId: string
  slo: SloWrite
}

interface Waiting {
  ask: PredictionAsk
  give: (answer: Prediction | NoPrediction) => void
  fail: (error: unknown) => void
}

/** What the server takes at once. */
const MOST_QUERIES = 1000
let waiting: Waiting[] = []

export function askPrediction(ask: PredictionAsk): Promise<Prediction | NoPrediction> {
  return new Promise((give, fail) => {
    if (waiting.length === 0) setTimeout(send, 0)
    waiting.push({ ask, give, fail })
  })
}

function send(): void {
  const groups = new Map<string, Waiting[]>()
  for (const waiter of waiting) {
    const key = JSON.stringify([waiter.ask.environment, waiter.ask.runId, waiter.ask.slo])
    const group = groups.get(key) ?? []
    group.push(waiter)
    groups.set(key, group)
  }
  waiting = []
  for (const group of groups.values()) {
    for (let start = 0; start < group.length; start += MOST_QUERIES)
      void answer(group.slice(start, start + MOST_QUERIES))
  }
}

async function answer(group: readonly Waiting[]): Promise<void> {
  const ask = group[0]?.ask
  if (!ask) return
  try {
    const queries = group.map((waiter) => waiter.ask.query)
    const { predictions } = await answered(
      api.POST(`${ENVIRONMENT}/prediction-sets`, {
        params: { path: ask.environment },
        body: { files: ask.files(), queries, run_id: ask.runId, slo: ask.slo },
      }),
    )
    const byQuery = new Map(predictions.map((prediction) => [prediction.query, prediction]))
    for (const {
      ask: { query },
      give,
      fail,
    } of group) {
      const prediction = byQuery.get(query)
      if (prediction) give(prediction)
      else fail(new Error(`${query} has no bound any more.`))
    }
  } catch (error) {
    for (const { fail } of group) fail(error)
  }
}
