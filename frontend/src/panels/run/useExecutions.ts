/** Executes a query of the live version, keeps the pages of its result, and keeps each run for the list of them. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { answered, api, messageOf } from '../../api/client'
import { ENVIRONMENT, keyOf } from '../../api/environment'
import type { DeployedQuery, Deployment, Execution } from '../../api/types'
import { useEnvironment } from '../../app/url-state'
import { type ParameterValue, readParameters, type Typed } from '../../logic/parameters'
import { keepPastRun } from './past-runs'
import { type Refusal, refusalOf } from './refusal'

interface Request {
  parameters: Record<string, ParameterValue>
  cursor: string | null
  /** The index of the page. */
  page: number
}

export interface Executions {
  /** The pages that were read, the last one shown. */
  pages: readonly { request: Request; answer: Execution }[]
  /** The error of the last execution; `refusal` if it is about a value in the form. */
  error: Error | null
  refusal: Refusal | null
  isPending: boolean
  /** Runs the query with the values of the form. */
  runFirst: () => void
  run: (request: Request) => void
  /** Shows the page before. */
  goBack: () => void
}

/** Executes `query` with the values that its form shows. */
export function useExecutions(
  live: Deployment,
  query: DeployedQuery,
  values: Readonly<Record<string, Typed>>,
): Executions {
  const environment = useEnvironment()
  const queryClient = useQueryClient()
  const isUnderWay = useRef(false) // known at once, while `isPending` is only known after the next drawing
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const [pages, setPages] = useState<Executions['pages']>([])
  const isWrite = query.kind !== 'select'
  const execution = useMutation({
    mutationFn: ({ parameters, cursor }: Request) =>
      answered(
        api.POST(`${ENVIRONMENT}/deployments/{deployment_id}/queries/{name}/executions`, {
          params: { path: { ...environment, deployment_id: live.id, name: query.name } },
          body: { parameters, cursor },
        }),
      ),
    onMutate: ({ parameters }) => ({
      ...environment,
      at: new Date().toISOString(),
      query: query.name,
      isWrite,
      values: parameters,
    }),
    onSuccess: (answer, { page }, { application, ...begun }) => {
      const { operations, bound_operations: bound, elapsed_ms: elapsedMs, rows_affected: affected } = answer
      const cost = { rows: affected ?? answer.rows.length, operations, bound, elapsedMs }
      if (page === 0) keepPastRun(application, { ...begun, cost, error: null })
    },
    onError: (error, { page }, begun) => {
      const isOfField = refusalOf(error, query.parameters, {}) !== null // then nothing has run
      if (page > 0 || isOfField || !begun) return
      const { application, ...run } = begun
      keepPastRun(application, { ...run, cost: null, error: messageOf(error) })
    },
    onSettled: () => {
      isUnderWay.current = false
      void queryClient.invalidateQueries({ queryKey: keyOf('latency', environment) })
    },
  })
  const run = (request: Request) => {
    if (isWrite && isUnderWay.current) return
    isUnderWay.current = true
    setRefusal(null)
    execution.mutate(request, {
      onSuccess: (answer) => setPages((before) => [...before.slice(0, request.page), { request, answer }]),
      onError: (error) => setRefusal(refusalOf(error, query.parameters, values)),
    })
  }
  const runFirst = () => {
    setPages([])
    run({ parameters: readParameters(query.parameters, values), cursor: null, page: 0 })
  }
  const goBack = () => setPages(pages.slice(0, -1))
  return { pages, error: execution.error, refusal, isPending: execution.isPending, runFirst, run, goBack }
}
