import { useQuery } from '@tanstack/react-query'
import { Grid3x3 } from 'lucide-react'
import { isActive, prediction, profileRuns } from '../../api/queries'
import type { ProfileRun, Query } from '../../api/types'
import { NoQuery } from '../../app/NoQuery'
import { openPanel } from '../../app/panel-view'
import { isPredicted, planKey, useChosenRun, usePredictions } from '../../app/predictions'
import { openProblems } from '../../app/problems-drawer'
import { useSelectedQuery } from '../../app/selection'
import { useShownAnswer } from '../../app/shown-compilation'
import { useEffectiveSlo } from '../../app/slos'
import { useEnvironment, useView } from '../../app/url-state'
import { NO_AXIS } from '../../logic/view'
import { Button } from '../../ui/Button'
import { EmptyState } from '../../ui/EmptyState'
import { ErrorNotice } from '../../ui/Notice'
import { formatMs, formatPercent } from '../../units'
import { Anatomy } from './Anatomy'
import type { Limit } from './CellDetail'
import { Controls } from './Controls'
import styles from './heatmap.module.css'
import { MapView } from './MapView'
import { NotMeasured } from './NotMeasured'
import { PageOfQueries } from './PageOfQueries'
import { SafeLimits } from './SafeLimits'
import { Sliders } from './Sliders'
import { Warnings } from './Warnings'

/** The predicted p99 of the current query over two of its limits, or one, and whether it keeps the SLO. */
export default function HeatmapPanel() {
  const environment = useEnvironment()
  const query = useSelectedQuery()
  const run = useChosenRun()
  const { data: runs } = useQuery(profileRuns(environment))
  const activeRun = runs?.find(isActive)
  if (!query) {
    return (
      <NoQuery icon={<Grid3x3 size={22} aria-hidden />}>
        A heatmap shows a bounded query over two of its limits. Choose one on the left.
      </NoQuery>
    )
  }
  if (!query.bound) {
    return (
      <EmptyState
        icon={<Grid3x3 size={22} aria-hidden />}
        title={`${query.name} has no bound`}
        actions={<Button onClick={openProblems}>See what keeps it from one</Button>}
      >
        A heatmap shows a bounded query over two of its limits. Fix its problem, or choose another query on the left.
      </EmptyState>
    )
  }
  const finished = (runs ?? []).filter((profileRun) => profileRun.state === 'done')
  if (!run) {
    return (
      <EmptyState
        icon={<Grid3x3 size={22} aria-hidden />}
        title="Measure first"
        actions={
          <Button look="primary" onClick={() => openPanel('profile')}>
            {activeRun ? 'Watch the profile run' : 'Start a profile run'}
          </Button>
        }
      >
        The heatmap is predicted from measured operators, and no profile run of this store is complete.
        {activeRun ? ` One is under way: ${formatPercent(activeRun.progress, 0)} of its points are measured.` : ''}
      </EmptyState>
    )
  }
  if (query.axes.length === 0 || query.kind !== 'select') return <OneNumber query={query} run={run} runs={finished} />
  return <Map query={query} run={run} runs={finished} />
}

/** The prediction of a query without limits, such as a write: one number and its parts. */
function OneNumber({ query, run, runs }: { query: Query; run: ProfileRun; runs: readonly ProfileRun[] }) {
  const environment = useEnvironment()
  const { files } = useShownAnswer()
  const { slo } = useEffectiveSlo(query.name)
  const { data, error } = useQuery(prediction(environment, planKey(query), files, query.name, run.id, slo))
  const answer = data?.query === query.name ? data : undefined
  const predicted = answer && isPredicted(answer) ? answer : undefined
  return (
    <div className={styles['panel']}>
      <Controls query={query} run={run} runs={runs} slo={slo} />
      <p className={styles['safe']}>
        {query.kind === 'select'
          ? `No number of the schema or the query decides how much ${query.name} reads: it has one number and no map.`
          : `${query.name} writes one row: no limit of the schema or the query decides how much it does, so there is one number and no map.`}
      </p>
      {predicted ? (
        <Anatomy
          prediction={predicted}
          slo={slo}
          title={`${predicted.meets_slo ? 'Keeps' : 'Breaks'} the SLO of ${formatMs(slo.threshold_ms)}`}
        />
      ) : null}
      {predicted ? <Warnings warnings={predicted.warnings} /> : null}
      {answer && !isPredicted(answer) ? <NotMeasured lack={answer} /> : null}
      {error ? (
        <div className={styles['padded']}>
          <ErrorNotice error={error} />
        </div>
      ) : null}
      <SafeLimits runId={run.id} />
      <PageOfQueries runId={run.id} slo={slo} />
    </div>
  )
}

/** A map over two limits, or a curve along one; sliders set the other limits. */
function Map({ query, run, runs }: { query: Query; run: ProfileRun; runs: readonly ProfileRun[] }) {
  const view = useView()
  const { slo } = useEffectiveSlo(query.name)
  const x = query.axes.find((axis) => axis.symbol === view.x) ?? query.axes[0]
  const y =
    view.y === NO_AXIS
      ? null
      : (query.axes.find((axis) => axis.symbol === view.y && axis !== x) ??
        query.axes.find((axis) => axis !== x) ??
        null)
  const predictionOfText = usePredictions().get(query.name)
  if (!x) return null
  const further = query.axes
    .filter((axis) => axis !== x && axis !== y)
    .map((axis): Limit => ({ axis, value: view.at?.[axis.symbol] ?? axis.current }))
  return (
    <div className={styles['panel']}>
      <Controls query={query} run={run} runs={runs} sides={{ x, y }} slo={slo} />
      <Sliders axes={further.map(({ axis }) => axis)} values={view.at ?? {}} />
      <MapView query={query} run={run} slo={slo} x={x} y={y} further={further} />
      {predictionOfText ? <Anatomy prediction={predictionOfText} slo={slo} /> : null}
      <SafeLimits runId={run.id} />
      <PageOfQueries runId={run.id} slo={slo} />
    </div>
  )
}
