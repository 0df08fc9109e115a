import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Zap } from 'lucide-react'
import { useEffect, useState } from 'react'
import { answered, api } from '../../api/client'
import { ENVIRONMENT, keyOf } from '../../api/environment'
import { burst as burstQuery } from '../../api/queries'
import type { Burst, BurstCreate, DeployedQuery } from '../../api/types'
import { useEnvironment } from '../../app/url-state'
import { BURST_RULES, numberError } from '../../logic/numbers'
import { Button } from '../../ui/Button'
import { TextField } from '../../ui/Field'
import { Form } from '../../ui/Form'
import { ErrorNotice, Notice } from '../../ui/Notice'
import { Progress } from '../../ui/Progress'
import { formatCount, formatMs, plural } from '../../units'
import styles from './dashboard.module.css'

/** A form that runs a query many times, with parameters drawn from the data, and the progress and result of the burst. */
export function BurstControl({ deploymentId, query }: { deploymentId: string; query: DeployedQuery }) {
  const environment = useEnvironment()
  const queryClient = useQueryClient()
  const [executions, setExecutions] = useState('500')
  const [concurrency, setConcurrency] = useState('4')
  const [isAllowed, setAllowed] = useState(false)
  const start = useMutation({
    mutationFn: (body: BurstCreate) =>
      answered(api.POST(`${ENVIRONMENT}/bursts`, { params: { path: environment }, body })),
  })
  const { data } = useQuery({ ...burstQuery(environment, start.data?.id ?? ''), enabled: start.data !== undefined })
  const burst = data ?? start.data
  const writes = query.kind !== 'select'
  const state = burst?.state
  const errors = {
    executions: numberError(executions, BURST_RULES.executions),
    concurrency: numberError(concurrency, BURST_RULES.concurrency),
  }
  const isValid = errors.executions === undefined && errors.concurrency === undefined
  useEffect(() => {
    if (state && state !== 'running') void queryClient.invalidateQueries({ queryKey: keyOf('latency', environment) })
  }, [state, queryClient, environment])
  return (
    <Form
      className={styles['burst']}
      aria-label="Burst"
      onSubmit={() => {
        start.mutate({
          deployment_id: deploymentId,
          query: query.name,
          executions: Number(executions),
          concurrency: Number(concurrency),
          allow_writes: isAllowed,
        })
      }}
    >
      <TextField
        label="Executions"
        hint="≤ 5,000"
        inputMode="numeric"
        value={executions}
        error={errors.executions}
        onChange={(event) => setExecutions(event.target.value)}
      />
      <TextField
        label="At once"
        hint="≤ 16"
        inputMode="numeric"
        value={concurrency}
        error={errors.concurrency}
        onChange={(event) => setConcurrency(event.target.value)}
      />
      <Button
        type="submit"
        look="primary"
        icon={<Zap size={13} aria-hidden />}
        disabled={!isValid || start.isPending || state === 'running' || (writes && !isAllowed)}
      >
        Run a burst
      </Button>
      {writes ? (
        <label className={styles['allow']}>
          <input type="checkbox" checked={isAllowed} onChange={(event) => setAllowed(event.target.checked)} />
          This query writes: let the burst change the data
        </label>
      ) : null}
      {start.error ? <ErrorNotice error={start.error} /> : null}
      {burst ? <BurstState burst={burst} /> : null}
    </Form>
  )
}

function BurstState({ burst }: { burst: Burst }) {
  return (
    <div className={styles['burstState']} role="status" aria-label="Burst state">
      {burst.state === 'running' ? (
        <Progress label="Progress of the burst" share={burst.total > 0 ? burst.done / burst.total : 0} />
      ) : null}
      <p className={styles['soft']}>
        {burst.state === 'running' ? 'running' : burst.state}: {formatCount(burst.done)} of {formatCount(burst.total)}
        {burst.p99_ms === null ? '' : ` · p50 ${formatMs(burst.p50_ms)} · p99 ${formatMs(burst.p99_ms)}`}
        {burst.executions_per_second === null
          ? ''
          : ` · ${formatCount(Math.round(burst.executions_per_second))} a second`}
      </p>
      {burst.message ? <p>{burst.message}</p> : null}
      {burst.errors.map((error) => (
        <Notice key={error.code} tone="danger" help={error.message}>
          {plural(error.count, 'execution')} ended in {error.code}
        </Notice>
      ))}
    </div>
  )
}
