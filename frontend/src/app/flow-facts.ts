/** Gathers what logic/flow.ts needs to tell how far each step of the work is. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { latency } from '../api/latency-queries'
import { build, deployments, isActive, profileRuns } from '../api/queries'
import { isUnderWay } from '../logic/build'
import type { FlowFacts } from '../logic/flow'
import { compare } from '../logic/latency-comparison'
import { useIsChanged } from './live-text'
import { useLacks, usePredictions } from './predictions'
import { useShownAnswer } from './shown-compilation'
import { useSavedSlos } from './slos'
import { useEnvironment, useView } from './url-state'

const HOUR_SECONDS = 3600
const READ_AGAIN_MS = 15_000

export function useFlowFacts(): FlowFacts {
  const { compilation, error: compileError } = useShownAnswer()
  return {
    compileError,
    text: compilation && {
      queries: compilation.queries.length,
      errors: compilation.diagnostics.filter(({ severity }) => severity === 'error').length,
    },
    predictions: usePredictionFacts(),
    ...useLiveFacts(),
  }
}

function usePredictionFacts(): FlowFacts['predictions'] {
  const environment = useEnvironment()
  const { data: runs } = useQuery(profileRuns(environment))
  const { slo: tried } = useView()
  const predictions = usePredictions()
  const missing = useLacks().size
  const promised = useSavedSlos()
  if (!runs) return null
  // While the heatmap tries an SLO, predictions are judged by that one and not by what is promised.
  const broken = tried ? [] : [...predictions.values()].filter(({ meets_slo: meetsSlo }) => meetsSlo === false)
  return {
    hasRun: runs.some(({ state }) => state === 'done'),
    isMeasuring: runs.some(isActive),
    missing,
    atRisk: broken.map(({ query }) => query).filter((query) => promised.has(query)),
  }
}

function useLiveFacts(): Pick<FlowFacts, 'live' | 'observed'> {
  const environment = useEnvironment()
  const { data: versions } = useInfiniteQuery(deployments(environment))
  const { data: coming } = useQuery(build(environment))
  const isChanged = useIsChanged()
  const live = versions?.find((version) => version.is_live)
  const { data: measured } = useQuery({
    ...latency(environment, live?.id ?? '', HOUR_SECONDS, 'both'),
    enabled: live !== undefined,
    refetchInterval: READ_AGAIN_MS,
  })
  if (!versions) return { live: null, observed: null }
  return {
    live: { version: live?.version ?? null, isChanged, isBuilding: coming ? isUnderWay(coming) : false },
    observed:
      live && measured
        ? {
            executions: measured.queries.reduce((sum, { executions }) => sum + executions, 0),
            verdicts: measured.queries.map((query) => compare(query).verdict),
          }
        : null,
  }
}
