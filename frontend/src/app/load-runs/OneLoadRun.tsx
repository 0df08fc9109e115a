import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useState } from 'react'
import { answered, api } from '../../api/client'
import { ENVIRONMENT } from '../../api/environment'
import { isCalling, loadResult, loadRun } from '../../api/load-queries'
import type { LoadRun } from '../../api/types'
import { ALL } from '../../logic/load-lines'
import { Badge } from '../../ui/Badge'
import { Button } from '../../ui/Button'
import { SelectField } from '../../ui/Field'
import { ErrorNotice, Notice } from '../../ui/Notice'
import { Progress } from '../../ui/Progress'
import { formatDay } from '../../units'
import { useEnvironment } from '../url-state'
import { Comparison } from './Comparison'
import { LoadCharts } from './LoadCharts'
import { LoadResult } from './LoadResult'
import styles from './load-runs.module.css'
import { RunFiles } from './RunFiles'
import { useLoadSeconds } from './run-events'
import { askedOf, TONES } from './run-title'

/** One load run: how far it is, charts that move while it goes on, and then what came of it. */
export function OneLoadRun({ run }: { run: LoadRun }) {
  const environment = useEnvironment()
  const isActive = isCalling(run)
  const moving = useLoadSeconds(run.id, isActive)
  const { data: result, error } = useQuery({ ...loadResult(environment, run.id), enabled: run.has_result })
  const [query, setQuery] = useState(run.queries.length === 1 ? (run.queries[0]?.name ?? ALL) : ALL)
  return (
    <>
      <div className={styles['row']}>
        <Badge tone={TONES[run.state]}>{run.state}</Badge>
        <span className={styles['soft']}>
          {askedOf(run)} · begun {formatDay(run.created_at)}
          {run.started_by ? ` by ${run.started_by}` : ''}
        </span>
        {isActive ? <Cancel run={run} /> : <RunFiles run={run} />}
      </div>
      {isActive ? <Underway run={run} /> : null}
      {run.message ? <Notice tone={run.state === 'failed' ? 'danger' : 'warning'}>{run.message}</Notice> : null}
      {run.queries.length > 1 ? (
        <div className={styles['choice']}>
          <SelectField label="Charts of" value={query} onChange={(event) => setQuery(event.target.value)}>
            <option value={ALL}>all queries together</option>
            {run.queries.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </SelectField>
        </div>
      ) : null}
      <LoadCharts run={run} seconds={result?.timeline ?? moving} query={query} />
      {error ? <ErrorNotice error={error} /> : null}
      {result ? <LoadResult result={result} /> : null}
      {result ? <Comparison run={run} /> : null}
    </>
  )
}

function Underway({ run }: { run: LoadRun }) {
  return (
    <div className={styles['underway']}>
      <Progress
        label="Progress of the run"
        share={run.state === 'starting' ? null : run.seconds_done / run.seconds_total}
      />
      <p className={styles['soft']} role="status" aria-label="Progress">
        {run.state === 'starting'
          ? 'Its clients connect and draw parameters from the rows'
          : `${Math.floor(run.seconds_done)} of ${run.seconds_total} s`}
      </p>
    </div>
  )
}

function Cancel({ run }: { run: LoadRun }) {
  const environment = useEnvironment()
  const queryClient = useQueryClient()
  const cancel = useMutation({
    mutationFn: () =>
      answered(
        api.POST(`${ENVIRONMENT}/load-runs/{run_id}/cancel`, { params: { path: { ...environment, run_id: run.id } } }),
      ),
    onSuccess: (answer) => queryClient.setQueryData(loadRun(environment, run.id).queryKey, answer),
  })
  return (
    <>
      <Button
        size="small"
        icon={<X size={12} aria-hidden />}
        disabled={run.state === 'cancelling' || cancel.isPending}
        onClick={() => cancel.mutate()}
      >
        Cancel the run
      </Button>
      {cancel.error ? <ErrorNotice error={cancel.error} /> : null}
    </>
  )
}
