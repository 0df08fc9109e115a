import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Activity, Download, Grid3x3, RotateCw, X } from 'lucide-react'
import { answered, api } from '../../api/client'
import { ENVIRONMENT } from '../../api/environment'
import { isActive } from '../../api/queries'
import type { ProfileRun } from '../../api/types'
import { download } from '../../app/export-tables'
import { useChosenRun } from '../../app/predictions'
import { setView, useEnvironment } from '../../app/url-state'
import { driftText } from '../../logic/drift'
import { direction, IMPORTED, isSameGrid, timesAsLong } from '../../logic/run-comparison'
import { runName } from '../../logic/run-name'
import { Badge, type Tone } from '../../ui/Badge'
import { Button, IconButton } from '../../ui/Button'
import { ErrorNotice } from '../../ui/Notice'
import { Progress } from '../../ui/Progress'
import { Cell, numeric, Table } from '../../ui/Table'
import { formatCount, formatDay, formatDuration, formatMs, formatPercent } from '../../units'
import { DeleteRun } from './DeleteRun'
import styles from './profile.module.css'
import { putRun } from './run-events'

const TONES: Readonly<Record<ProfileRun['state'], Tone>> = {
  queued: 'plain',
  starting: 'info',
  running: 'info',
  cancelling: 'warning',
  cancelled: 'plain',
  failed: 'danger',
  done: 'accent',
}

/** One profile run: its state and progress, what can be done with it, its drift, and what it measured. */
export function RunCard({ run }: { run: ProfileRun }) {
  const chosen = useChosenRun()
  const name = runName(run)
  return (
    <article className={styles['run']} aria-label={name} data-state={run.state}>
      <header className={styles['runHead']}>
        <h3 className={styles['runName']}>{name}</h3>
        <Badge tone={TONES[run.state]}>{run.state}</Badge>
        {chosen?.id === run.id ? <Badge>used for predictions</Badge> : null}
        {run.drift && run.drift.stale_operators.length > 0 ? <Badge tone="warning">stale</Badge> : null}
        <div className={styles['runActions']}>
          <RunActions run={run} name={name} isChosen={chosen?.id === run.id} />
        </div>
      </header>
      <p className={styles['facts']}>
        {formatDay(run.created_at)} · grid {run.settings.grid} · {formatCount(run.settings.intervals)} ×{' '}
        {formatDuration(run.settings.interval_seconds)}
      </p>
      {isActive(run) ? <RunProgress run={run} name={name} /> : null}
      {run.message ? <p className={styles['message']}>{run.message}</p> : null}
      {run.drift ? <p className={styles['facts']}>{driftText(run.drift)}</p> : null}
      {run.operators_summary.length > 0 ? (
        <Operators run={run} name={name} reference={chosen && chosen.id !== run.id ? chosen : null} />
      ) : null}
    </article>
  )
}

function RunProgress({ run, name }: { run: ProfileRun; name: string }) {
  return (
    <div className={styles['progress']}>
      {run.state === 'queued' ? null : (
        <Progress label={`Progress of ${name}`} share={run.points_total === 0 ? null : run.progress} />
      )}
      <p className={styles['facts']} role="status">
        {run.state === 'queued'
          ? 'Waits until the run before it has ended'
          : run.points_total === 0
            ? 'Filling tables to measure on'
            : `${formatPercent(run.progress, 0)} · ${formatCount(run.points_done)} of ${formatCount(run.points_total)} points`}
        {run.eta_seconds === null ? '' : ` · ${formatDuration(run.eta_seconds)} left`}
      </p>
    </div>
  )
}

/** A request about a run, whose answer replaces the run in the list. `look` measures a few points again. */
function useRunRequest(run: ProfileRun, request: 'cancel' | 'resume' | 'look') {
  const environment = useEnvironment()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: () =>
      answered(
        api.POST(`${ENVIRONMENT}/profile-runs/{run_id}/${request}`, {
          params: { path: { ...environment, run_id: run.id } },
        }),
      ),
    onSuccess: (answer) => putRun(queryClient, environment, answer),
  })
}

interface RunActionsProps {
  run: ProfileRun
  name: string
  /** Whether predictions come from this run. */
  isChosen: boolean
}

/** The buttons that fit the state of a run. */
function RunActions({ run, name, isChosen }: RunActionsProps) {
  const cancel = useRunRequest(run, 'cancel')
  const resume = useRunRequest(run, 'resume')
  const error = cancel.error ?? resume.error
  const isBrokenOff = run.state === 'cancelled' || run.state === 'failed'
  const canBeResumed = isBrokenOff && run.settings.grid !== IMPORTED // the log of an imported run is not kept
  return (
    <>
      {error ? <ErrorNotice error={error} /> : null}
      {run.state === 'done' ? <DoneActions run={run} name={name} isChosen={isChosen} /> : null}
      {canBeResumed ? (
        <Button
          size="small"
          icon={<RotateCw size={12} aria-hidden />}
          aria-label={`Resume ${name}`}
          disabled={resume.isPending}
          onClick={() => resume.mutate()}
        >
          Resume
        </Button>
      ) : null}
      {isActive(run) ? (
        <Button
          size="small"
          icon={<X size={12} aria-hidden />}
          aria-label={`Cancel ${name}`}
          disabled={run.state === 'cancelling' || cancel.isPending}
          onClick={() => cancel.mutate()}
        >
          Cancel
        </Button>
      ) : (
        <DeleteRun run={run} name={name} />
      )}
    </>
  )
}

/**
 * The buttons of a run that measured to the end: use it, see its heatmap, check it, and measure stale operators again.
 */
function DoneActions({ run, name, isChosen }: RunActionsProps) {
  const environment = useEnvironment()
  const queryClient = useQueryClient()
  const look = useRunRequest(run, 'look')
  const refresh = useMutation({
    mutationFn: () => {
      const { interval_seconds, intervals } = run.settings
      return answered(
        api.POST(`${ENVIRONMENT}/profile-runs`, {
          params: { path: environment },
          body: { refreshes: run.id, label: `${name}, measured anew`, grid: 'small', interval_seconds, intervals },
        }),
      )
    },
    onSuccess: (started) => putRun(queryClient, environment, started),
  })
  const log = useMutation({
    mutationFn: () =>
      answered(
        api.GET(`${ENVIRONMENT}/profile-runs/{run_id}/log`, {
          params: { path: { ...environment, run_id: run.id } },
          parseAs: 'text',
        }),
      ),
    onSuccess: (text) => download(`${name}.hlog`, 'text/plain', text),
  })
  const error = look.error ?? refresh.error ?? log.error
  return (
    <>
      {error ? <ErrorNotice error={error} /> : null}
      {isChosen ? null : (
        <Button size="small" aria-label={`Use ${name} for predictions`} onClick={() => setView({ run: run.id })}>
          Use
        </Button>
      )}
      <Button
        size="small"
        icon={<Grid3x3 size={12} aria-hidden />}
        aria-label={`Heatmap of ${name}`}
        onClick={() => setView({ run: run.id, panel: 'heatmap' })}
      >
        Heatmap
      </Button>
      <Button
        size="small"
        icon={<Activity size={12} aria-hidden />}
        aria-label={`Check ${name} against the store`}
        title="Measures a few points again, for some seconds: is the store still as it was?"
        disabled={look.isPending}
        onClick={() => look.mutate()}
      >
        {look.isPending ? 'Checking' : 'Check'}
      </Button>
      <IconButton
        size="small"
        label={`Download the histograms of ${name} as an HdrHistogram log`}
        disabled={log.isPending}
        onClick={() => log.mutate()}
      >
        <Download size={13} aria-hidden />
      </IconButton>
      {run.drift && run.drift.stale_operators.length > 0 ? (
        <Button
          size="small"
          icon={<RotateCw size={12} aria-hidden />}
          aria-label={`Measure the stale operators of ${name} again`}
          disabled={refresh.isPending}
          onClick={() => refresh.mutate()}
        >
          Measure anew
        </Button>
      ) : null}
    </>
  )
}

interface OperatorsProps {
  run: ProfileRun
  name: string
  /** The run that predictions come from, if it is another one. */
  reference: ProfileRun | null
}

/** The measured operators, each with its p99 divided by that of the reference run. */
function Operators({ run, name, reference }: OperatorsProps) {
  const factors = reference ? timesAsLong(run, reference) : null
  const compared = factors && factors.size > 0 ? [numeric('p99 ratio')] : []
  return (
    <>
      <Table
        label={`Operators measured by ${name}`}
        columns={['Operator', numeric('Points'), numeric('Samples'), numeric('p50'), numeric('p99'), ...compared]}
      >
        {run.operators_summary.map((operator) => (
          <tr key={operator.operator}>
            <Cell>{operator.operator}</Cell>
            <Cell isNumeric>{formatCount(operator.points)}</Cell>
            <Cell isNumeric>{formatCount(operator.samples)}</Cell>
            <Cell isNumeric>{formatMs(operator.p50_ms)}</Cell>
            <Cell isNumeric>{formatMs(operator.p99_ms)}</Cell>
            {compared.length > 0 ? <Ratio factor={factors?.get(operator.operator)} /> : null}
          </tr>
        ))}
      </Table>
      {reference ? (
        <p className={styles['facts']}>
          {compared.length > 0
            ? `The ratio is to “${runName(reference)}”, which predictions come from: above 1, this run was slower.`
            : `Not compared with “${runName(reference)}”, which predictions come from: it measured ${isSameGrid(run, reference) ? 'other points' : 'another grid'}.`}
        </p>
      ) : null}
    </>
  )
}

function Ratio({ factor }: { factor: number | undefined }) {
  if (factor === undefined) return <Cell isNumeric>–</Cell>
  const comparison = direction(factor)
  return (
    <Cell isNumeric>
      <span
        className={styles['ratio']}
        data-direction={comparison}
        title={comparison === 'alike' ? undefined : `${comparison} than the other run`}
      >
        {comparison === 'alike' ? '' : comparison === 'slower' ? '▲ ' : '▼ '}
        {factor.toFixed(2)} ×
      </span>
    </Cell>
  )
}
