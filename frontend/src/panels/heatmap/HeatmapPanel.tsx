import { useQuery } from '@tanstack/react-query'
import { Grid3x3 } from 'lucide-react'
import { useMemo, useState } from 'react'
import { heatmap, prediction, profileRuns } from '../../api/queries'
import type { Axis, Heatmap as HeatmapAnswer, ProfileRun, Query } from '../../api/types'
import { openPanel } from '../../app/panel-view'
import { planKey, useChosenRun, usePredictions } from '../../app/predictions'
import { useSelectedQuery } from '../../app/selection'
import { setView, useView } from '../../app/url-state'
import { Heatmap } from '../../charts/Heatmap'
import { sourceFiles } from '../../documents/documents'
import { axisValues, cellText, nearestCell, type CellIndex, type Grid } from '../../logic/heatmap'
import { DEFAULT_SLO } from '../../logic/view'
import { Button } from '../../ui/Button'
import { EmptyState } from '../../ui/EmptyState'
import { ErrorNotice, Notice } from '../../ui/Notice'
import { formatMs, plural } from '../../units'
import { Anatomy } from './Anatomy'
import { CellDetail } from './CellDetail'
import { Controls } from './Controls'
import { HeatmapTable } from './HeatmapTable'
import { Legend } from './Legend'
import { SafeLimits } from './SafeLimits'
import styles from './heatmap.module.css'

/** p99 over two of the query's limits, against an SLO; a cell's limits can be written into the text. */
export default function HeatmapPanel() {
  const query = useSelectedQuery()
  const run = useChosenRun()
  const { data: runs } = useQuery(profileRuns)
  if (!query || !query.bound) {
    return (
      <EmptyState icon={<Grid3x3 size={22} aria-hidden />} title={query ? `${query.name} has no bound` : 'No query is selected'}>
        A heatmap shows a bounded query over two of its limits. Choose one on the left.
      </EmptyState>
    )
  }
  const finished = (runs ?? []).filter((each) => each.state === 'done')
  if (query.axes.length === 0 && run && query.kind !== 'select') return <Write query={query} run={run} runs={finished} />
  if (query.axes.length === 0) {
    return (
      <EmptyState icon={<Grid3x3 size={22} aria-hidden />} title={`${query.name} has no limit to turn`}>
        Its bound does not depend on a number of the schema or the query: class {query.scaling_class ?? 'I'}.
      </EmptyState>
    )
  }
  if (!run) {
    return (
      <EmptyState
        icon={<Grid3x3 size={22} aria-hidden />}
        title="Measure first"
        actions={
          <Button look="primary" onClick={() => openPanel('profile')}>
            Start a profile run
          </Button>
        }
      >
        The heatmap is predicted from measured operators, and no run has measured this store to the end yet.
      </EmptyState>
    )
  }
  return <Map query={query} run={run} runs={finished} />
}

/** A write has no limits to turn: what is predicted of it is one number, and its parts. */
function Write({ query, run, runs }: { query: Query; run: ProfileRun; runs: readonly ProfileRun[] }) {
  const { slo = DEFAULT_SLO } = useView()
  const { data, error } = useQuery(prediction(planKey(query), sourceFiles, query.name, run.id, slo))
  const found = data?.query === query.name ? data : undefined
  return (
    <div className={styles['panel']}>
      <Controls key={query.name} query={query} run={run} runs={runs} slo={slo} />
      <p className={styles['safe']}>
        {query.name} writes one row: no limit of the schema or the query decides how much it does, so there is one number and no map.
      </p>
      {found ? <Anatomy prediction={found} slo={slo} title={`${found.meets_slo ? 'Keeps' : 'Breaks'} the SLO of ${formatMs(slo.threshold_ms)}`} /> : null}
      {found && found.warnings.length > 0 ? (
        <div className={styles['padded']}>
          <Notice tone="warning">{found.warnings.join('; ')}</Notice>
        </div>
      ) : null}
      {error ? (
        <div className={styles['padded']}>
          <ErrorNotice error={error} />
        </div>
      ) : null}
      <SafeLimits runId={run.id} slo={slo} />
    </div>
  )
}

function Map({ query, run, runs }: { query: Query; run: ProfileRun; runs: readonly ProfileRun[] }) {
  const view = useView()
  const slo = view.slo ?? DEFAULT_SLO
  const x = query.axes.find((axis) => axis.symbol === view.x) ?? query.axes[0]
  const y = query.axes.find((axis) => axis.symbol === view.y && axis !== x) ?? query.axes.find((axis) => axis !== x) ?? x
  const { data, error, isFetching } = useQuery(
    heatmap(planKey(query), sourceFiles, { query: query.name, runId: run.id, x: request(x), y: request(y), slo }),
  )
  const asWritten = usePredictions().get(query.name)
  const answer = data?.query === query.name ? data : undefined
  if (!x || !y) return null
  return (
    <div className={styles['panel']}>
      <Controls key={query.name} query={query} run={run} runs={runs} sides={{ x, y }} slo={slo} />
      {error ? (
        <div className={styles['padded']}>
          <ErrorNotice error={error} />
        </div>
      ) : null}
      {answer ? (
        <>
          <Answer answer={answer} x={x} y={y} isTable={view.as === 'table'} isStale={isFetching} />
          {asWritten ? <Anatomy prediction={asWritten} slo={slo} /> : null}
          <SafeLimits runId={run.id} slo={slo} />
        </>
      ) : error ? null : (
        <EmptyState title="Predicting…" />
      )}
    </div>
  )
}

function request(axis: Axis | undefined) {
  return { symbol: axis?.symbol ?? '', values: axisValues(axis?.current ?? 1) }
}

interface AnswerProps {
  answer: HeatmapAnswer
  x: Axis
  y: Axis
  isTable: boolean
  isStale: boolean
}

function Answer({ answer, x, y, isTable, isStale }: AnswerProps) {
  const { slo = DEFAULT_SLO, cell } = useView()
  const [pointed, setPointed] = useState<CellIndex | null>(null)
  const grid = useMemo<Grid>(
    () => ({ xs: answer.x.values, ys: answer.y.values, p99: answer.p99_ms, states: answer.state, meets: answer.meets_slo }),
    [answer],
  )
  const current = nearestCell(grid, answer.x.current, answer.y.current)
  const chosen = cell ? nearestCell(grid, cell.x, cell.y) : null
  const describe = ({ column, row }: CellIndex) =>
    `${answer.x.label} ${grid.xs[column]}, ${answer.y.label} ${grid.ys[row]}: ${cellText(formatMs(grid.p99[row]?.[column]), grid.states[row]?.[column], grid.meets[row]?.[column], `the SLO of ${formatMs(slo.threshold_ms)}`)}`
  const choose = ({ column, row }: CellIndex) => setView({ cell: { x: grid.xs[column] ?? 0, y: grid.ys[row] ?? 0 } })
  return (
    <>
      <div className={styles['chart']} data-stale={isStale} aria-busy={isStale}>
        {isTable ? (
          <HeatmapTable answer={answer} onChoose={choose} />
        ) : (
          <Heatmap
            grid={grid}
            xLabel={answer.x.label}
            yLabel={answer.y.label}
            label={`Predicted latency of ${answer.query} over ${answer.x.label} and ${answer.y.label}`}
            current={current}
            chosen={chosen}
            describe={describe}
            onPoint={setPointed}
            onChoose={choose}
          />
        )}
      </div>
      <Legend grid={grid} thresholdMs={slo.threshold_ms} quantile={answer.quantile} />
      <CellDetail answer={answer} x={x} y={y} cell={chosen ?? pointed ?? current} isChosen={chosen !== null} describe={describe} />
      {answer.largest_safe.length > 0 ? (
        <section className={styles['safe']} aria-label="Largest safe limits">
          <span className={styles['safeTitle']}>Largest safe limits</span>
          {answer.largest_safe.map((pair) => (
            <Button key={`${pair.x}:${pair.y}`} size="small" onClick={() => setView({ cell: pair })}>
              {pair.x} × {pair.y}
            </Button>
          ))}
        </section>
      ) : (
        <p className={styles['safe']}>No pair of limits in this range keeps the SLO.</p>
      )}
      {answer.warnings.length > 0 ? (
        <div className={styles['padded']}>
          <Notice tone="warning">
            {answer.warnings.length === 1 ? answer.warnings[0] : `${plural(answer.warnings.length, 'warning')}: ${answer.warnings.join('; ')}`}
          </Notice>
        </div>
      ) : null}
    </>
  )
}
