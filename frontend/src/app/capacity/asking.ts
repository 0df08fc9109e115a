/** The question of the page about capacity: in the address, and on its way there while somebody types or drags. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { latency } from '../../api/latency-queries'
import { deployments } from '../../api/queries'
import type { CapacityCreate, ProfileRun, Slo } from '../../api/types'
import {
  type Amount,
  type CapacityQuestion,
  formatQuestion,
  NO_QUESTION,
  parseQuestion,
  rounded,
} from '../../logic/capacity-question'
import type { SloTarget } from '../../logic/view'
import { targetOf } from '../slos'
import { replaceView, useEnvironment, useView } from '../url-state'

const PAUSE_MS = 250
const OBSERVED_SECONDS = 3600
/** Stands in the address for a question that is as usual, so that it is not taken for one that nobody has asked. */
const AS_USUAL = `of-${NO_QUESTION.of}`

export interface Asking {
  /** As it is typed. */
  question: CapacityQuestion
  /** As it is asked: it follows after a pause. */
  asked: CapacityQuestion
  isTyping: boolean
  /** Whether the rates are those that were observed, because nobody has given any. */
  isObserved: boolean
  /** Whether these are still being read: what is typed now would be a question without them. */
  isReading: boolean
  change: (change: Partial<CapacityQuestion>) => void
}

/** The question of the address; without one that of the rates that were observed in the last hour. */
export function useQuestion(): Asking {
  const { load } = useView()
  const { rates: observed, isReading } = useObservedRates(load === undefined)
  const asked = useMemo(
    () => (load === undefined ? { ...NO_QUESTION, rates: observed } : parseQuestion(load)),
    [load, observed],
  )
  const [typed, setTyped] = useState<CapacityQuestion | null>(null)
  useEffect(() => {
    if (!typed) return undefined
    const timer = setTimeout(() => {
      replaceView({ load: formatQuestion(typed) || AS_USUAL })
      setTyped(null)
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return {
    question: typed ?? asked,
    asked,
    isTyping: typed !== null,
    isObserved: load === undefined && Object.keys(observed).length > 0,
    isReading,
    change: (change) => setTyped((before) => ({ ...(before ?? asked), ...change })),
  }
}

const NONE: Readonly<Record<string, Amount>> = {}

/** Executions a second by query in the last hour, of the live version. */
function useObservedRates(isWanted: boolean): { rates: Readonly<Record<string, Amount>>; isReading: boolean } {
  const environment = useEnvironment()
  const { data: versions, isLoading } = useInfiniteQuery({ ...deployments(environment), enabled: isWanted })
  const live = versions?.find((version) => version.is_live)
  const { data, isLoading: isLatencyLoading } = useQuery({
    ...latency(environment, live?.id ?? '', OBSERVED_SECONDS, 'both'),
    enabled: isWanted && live !== undefined,
    refetchInterval: false,
    staleTime: Infinity,
  })
  const rates = useMemo(() => {
    const executed = (data?.queries ?? []).filter(({ executions }) => executions > 0)
    if (executed.length === 0) return NONE
    return Object.fromEntries(
      executed.map(({ query, executions }) => {
        const rate = rounded(executions / OBSERVED_SECONDS)
        return [query, { low: rate, mid: rate, high: rate }]
      }),
    )
  }, [data])
  return { rates, isReading: isLoading || isLatencyLoading }
}

/** Whether a run measured a cluster, whose size it does not hold. */
export function isOfCluster(run: ProfileRun): boolean {
  return !run.settings.store_url.startsWith('embedded')
}

/** The question as the server takes it; what depends on something that is not given is left out. */
export function bodyOf(
  question: CapacityQuestion,
  run: ProfileRun,
  usual: SloTarget,
  saved: ReadonlyMap<string, Slo>,
): Omit<CapacityCreate, 'files' | 'shown_users'> {
  const hasRows = Object.keys(question.rows).length > 0
  const isCluster = isOfCluster(run)
  const promised = [...Object.keys(question.rates), ...Object.keys(question.unbounded)]
  return {
    run_id: run.id,
    rates: { ...question.rates },
    slo: usual,
    slos: Object.fromEntries(
      promised.flatMap((name) => {
        const slo = saved.get(name)
        return slo ? [[name, targetOf(slo)] as const] : []
      }),
    ),
    limits: {},
    users: question.of,
    rows_of_user: { ...question.rows },
    copies: hasRows ? question.copies : 1,
    node_gigabytes: hasRows ? question.gigabytes : null,
    unbounded: { ...question.unbounded },
    nodes: isCluster ? question.nodes : null,
    cores: isCluster ? question.cores : null,
    busy: isCluster ? question.busy : null,
    node_price: question.price,
  }
}
