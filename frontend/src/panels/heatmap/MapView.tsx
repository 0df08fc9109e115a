import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { heatmap } from '../../api/queries'
import type { Axis, Heatmap as HeatmapAnswer, ProfileRun, Query } from '../../api/types'
import { isPredicted, planKey, useLacks } from '../../app/predictions'
import { setView, useView } from '../../app/url-state'
import { Heatmap } from '../../charts/Heatmap'
import { sourceFiles } from '../../documents/documents'
import { axisValues, type CellIndex, cellText, type Grid, nearestCell } from '../../logic/heatmap'
import type { SloTarget } from '../../logic/view'
import { Button } from '../../ui/Button'
import { EmptyState } from '../../ui/EmptyState'
import { ErrorNotice } from '../../ui/Notice'
import { formatMs } from '../../units'
import { CellDetail, type Limit } from './CellDetail'
import { HeatmapTable } from './HeatmapTable'
import styles from './heatmap.module.css'
import { Legend } from './Legend'
import { NotMeasured } from './NotMeasured'
import { Warnings } from './Warnings'

interface MapViewProps {
  query: Query
  run: ProfileRun
  slo: SloTarget
  x: Axis
  y: Axis
  further: readonly Limit[]
}

/** Latency over two limits, the others where they are put. */
export function MapView({ query, run, slo, x, y, further }: MapViewProps) {
  const values = Object.fromEntries(further.map(({ axis, value }) => [axis.symbol, value]))
  const { data, error, isFetching } = useQuery(
    heatmap(planKey(query), sourceFiles, {
      query: query.name,
      runId: run.id,
      x: request(x),
      y: request(y),
      slo,
      values,
    }),
  )
  const ownLack = useLacks().get(query.name) // what the query itself asks for, not the first cell of the map
  if (error) {
    return (
      <div className={styles['padded']}>
        <ErrorNotice error={error} />
      </div>
    )
  }
  if (data && !isPredicted(data)) return <NotMeasured lack={ownLack ?? data} />
  if (data?.query !== query.name) return <EmptyState title="Predicting…" />
  return <Answer answer={data} x={x} y={y} slo={slo} further={further} isStale={isFetching} />
}

function request(axis: Axis) {
  return { symbol: axis.symbol, values: axisValues(axis.current) }
}

interface AnswerProps {
  answer: HeatmapAnswer
  x: Axis
  y: Axis
  slo: SloTarget
  further: readonly Limit[]
  isStale: boolean
}

function Answer({ answer, x, y, slo, further, isStale }: AnswerProps) {
  const { cell, as } = useView()
  const [pointed, setPointed] = useState<CellIndex | null>(null)
  const grid = useMemo<Grid>(
    () => ({
      xs: answer.x.values,
      ys: answer.y.values,
      p99: answer.p99_ms,
      states: answer.state,
      meets: answer.meets_slo,
    }),
    [answer],
  )
  const current = nearestCell(grid, answer.x.current, answer.y.current)
  const chosen = cell ? nearestCell(grid, cell.x, cell.y) : null
  const shown = chosen ?? pointed ?? current
  const describe = ({ column, row }: CellIndex) =>
    `${answer.x.label} ${grid.xs[column]}, ${answer.y.label} ${grid.ys[row]}: ${cellText(formatMs(grid.p99[row]?.[column]), grid.states[row]?.[column], grid.meets[row]?.[column], `the SLO of ${formatMs(slo.threshold_ms)}`)}`
  const choose = ({ column, row }: CellIndex) => setView({ cell: { x: grid.xs[column] ?? 0, y: grid.ys[row] ?? 0 } })
  return (
    <>
      <div className={styles['chart']} data-stale={isStale} aria-busy={isStale}>
        {as === 'table' ? (
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
      <Legend grid={grid} thresholdMs={slo.threshold_ms} quantile={answer.quantile} isTable={as === 'table'} />
      <CellDetail
        query={answer.query}
        limits={[
          { axis: x, value: grid.xs[shown.column] ?? x.current },
          { axis: y, value: grid.ys[shown.row] ?? y.current },
          ...further,
        ]}
        typical={answer.typical_p99_ms[shown.row]?.[shown.column] ?? null}
        worst={grid.p99[shown.row]?.[shown.column] ?? null}
        state={grid.states[shown.row]?.[shown.column] ?? 'measured'}
        isKept={grid.meets[shown.row]?.[shown.column] ?? false}
        upperFactor={answer.upper_factor}
        isChosen={chosen !== null}
        description={describe(shown)}
        whatToChoose="a cell"
      />
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
        <p className={styles['safe']}>
          No pair of limits that was measured, or lies between measured ones, keeps the SLO.
        </p>
      )}
      <Warnings warnings={answer.warnings} />
    </>
  )
}
