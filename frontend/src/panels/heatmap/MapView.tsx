import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { heatmap } from '../../api/queries'
import type { Axis, Heatmap as HeatmapAnswer, ProfileRun, Query } from '../../api/types'
import { isPredicted, planKey, useLacks } from '../../app/predictions'
import { useShownAnswer } from '../../app/shown-compilation'
import { replaceView, setView, useEnvironment, useView } from '../../app/url-state'
import { Curve } from '../../charts/Curve'
import { Heatmap } from '../../charts/Heatmap'
import { axisValues, type CellIndex, cellText, type Grid, nearestCell } from '../../logic/heatmap'
import { closerValues, cornersOf, regionBetween } from '../../logic/heatmap-region'
import type { SloTarget } from '../../logic/view'
import { Button } from '../../ui/Button'
import { EmptyState } from '../../ui/EmptyState'
import { ErrorNotice } from '../../ui/Notice'
import { formatMs } from '../../units'
import { CellDetail, type Limit } from './CellDetail'
import { CurveLegend } from './CurveLegend'
import { CurveTable, curvePoints } from './CurveTable'
import { HeatmapTable } from './HeatmapTable'
import styles from './heatmap.module.css'
import { Legend } from './Legend'
import { NotMeasured } from './NotMeasured'
import { RegionDetail } from './RegionDetail'
import { Warnings } from './Warnings'

interface MapViewProps {
  query: Query
  run: ProfileRun
  slo: SloTarget
  x: Axis
  /** null draws a curve along `x`. */
  y: Axis | null
  further: readonly Limit[]
}

/** Requests the latencies over the limits of the axes, with the further limits at the values of their sliders. */
export function MapView({ query, run, slo, x, y, further }: MapViewProps) {
  const environment = useEnvironment()
  const { closer } = useView()
  const { files } = useShownAnswer()
  const values = Object.fromEntries(further.map(({ axis, value }) => [axis.symbol, value]))
  const xAxis = axisRequest(x, y && closer ? [closer.x1, closer.x2] : null)
  const yAxis = y && axisRequest(y, closer ? [closer.y1, closer.y2] : null)
  const request = { query: query.name, runId: run.id, x: xAxis, y: yAxis, slo, values }
  const { data, error, isFetching } = useQuery(heatmap(environment, planKey(query), files, request))
  const lackOfQuery = useLacks().get(query.name) // the point for the limits in the text, not for the map's first cell
  if (error) {
    return (
      <div className={styles['padded']}>
        <ErrorNotice error={error} />
      </div>
    )
  }
  if (data && !isPredicted(data)) return <NotMeasured lack={lackOfQuery ?? data} />
  if (data?.query !== query.name || data.x.symbol !== x.symbol || data.y?.symbol !== y?.symbol) {
    return <EmptyState title="Predicting…" />
  }
  const sides = `${x.symbol} ${y?.symbol}`
  return <Answer key={sides} answer={data} x={x} y={y} slo={slo} further={further} isStale={isFetching} />
}

/** The values of an axis, all around the limit of the text or, looked at closer, between two. */
function axisRequest({ symbol, current }: Axis, between: [number, number] | null) {
  return { symbol, values: between ? closerValues(...between, current) : axisValues(current) }
}

interface AnswerProps {
  answer: HeatmapAnswer
  x: Axis
  y: Axis | null
  slo: SloTarget
  further: readonly Limit[]
  isStale: boolean
}

/** The drawing or the table, its legend, the shown cell in detail, and the largest limits that keep the SLO. */
function Answer({ answer, x, y, slo, further, isStale }: AnswerProps) {
  const { cell, as, region, closer } = useView()
  const [pointed, setPointed] = useState<CellIndex | null>(null)
  const grid = useMemo<Grid>(() => gridOf(answer), [answer])
  const current = nearestCell(grid, answer.x.current, answer.y?.current ?? 1)
  const chosen = cell ? nearestCell(grid, cell.x, cell.y) : null
  const shown = chosen ?? pointed ?? current
  const describe = ({ column, row }: CellIndex) => {
    const limits = [`${answer.x.label} ${grid.xs[column]}`, ...(answer.y ? [`${answer.y.label} ${grid.ys[row]}`] : [])]
    const latency = formatMs(grid.p99[row]?.[column])
    return `${limits.join(', ')}: ${cellText(latency, grid.states[row]?.[column], grid.meets[row]?.[column], `the SLO of ${formatMs(slo.threshold_ms)}`)}`
  }
  const corners = region && answer.y ? cornersOf(grid, region) : null
  const choose = ({ column, row }: CellIndex) =>
    setView({ region: undefined, cell: { x: grid.xs[column] ?? 0, y: answer.y ? (grid.ys[row] ?? 0) : 0 } })
  const limitX = { axis: x, value: grid.xs[shown.column] ?? x.current }
  const limitY = y ? [{ axis: y, value: grid.ys[shown.row] ?? y.current }] : []
  const drawing = { grid, answer, slo, current, chosen, describe, onPoint: setPointed, onChoose: choose, corners }
  return (
    <>
      <div className={styles['chart']} data-stale={isStale} aria-busy={isStale}>
        {as === 'table' ? <AsTable answer={answer} onChoose={choose} /> : <Drawing {...drawing} />}
      </div>
      {answer.y ? (
        <Legend grid={grid} thresholdMs={slo.threshold_ms} quantile={answer.quantile} isTable={as === 'table'} />
      ) : (
        <CurveLegend answer={answer} />
      )}
      {corners && y ? (
        <RegionDetail query={answer.query} grid={grid} corners={corners} x={x} y={y} further={further} />
      ) : (
        <CellDetail
          query={answer.query}
          limits={[limitX, ...limitY, ...further]}
          typical={answer.typical_p99_ms[shown.row]?.[shown.column] ?? null}
          worst={grid.p99[shown.row]?.[shown.column] ?? null}
          state={grid.states[shown.row]?.[shown.column] ?? 'measured'}
          isKept={grid.meets[shown.row]?.[shown.column] ?? false}
          upperFactor={answer.upper_factor}
          isChosen={chosen !== null}
          description={describe(shown)}
          whatToChoose={answer.y ? 'a cell' : 'a point'}
        />
      )}
      {closer && answer.y ? (
        <p className={styles['safe']}>
          A part of the map.
          <Button size="small" onClick={() => setView({ closer: undefined, region: undefined, cell: undefined })}>
            Show all of it
          </Button>
        </p>
      ) : null}
      <LargestSafe answer={answer} />
      <Warnings warnings={answer.warnings} />
    </>
  )
}

function gridOf(answer: HeatmapAnswer): Grid {
  return {
    xs: answer.x.values,
    ys: answer.y?.values ?? [1],
    p99: answer.p99_ms,
    states: answer.state,
    meets: answer.meets_slo,
  }
}

function AsTable({ answer, onChoose }: { answer: HeatmapAnswer; onChoose: (cell: CellIndex) => void }) {
  if (answer.y) return <HeatmapTable answer={answer} y={answer.y} onChoose={onChoose} />
  return <CurveTable answer={answer} onChoose={(column) => onChoose({ column, row: 0 })} />
}

interface DrawingProps {
  grid: Grid
  answer: HeatmapAnswer
  slo: SloTarget
  current: CellIndex
  chosen: CellIndex | null
  describe: (cell: CellIndex) => string
  onPoint: (cell: CellIndex | null) => void
  onChoose: (cell: CellIndex) => void
  corners: { first: CellIndex; last: CellIndex } | null
}

function Drawing({ grid, answer, slo, current, chosen, describe, onPoint, onChoose, corners }: DrawingProps) {
  const points = useMemo(() => curvePoints(answer), [answer])
  if (answer.y) {
    return (
      <Heatmap
        grid={grid}
        xLabel={answer.x.label}
        yLabel={answer.y.label}
        label={`Predicted latency of ${answer.query} over ${answer.x.label} and ${answer.y.label}`}
        current={current}
        chosen={chosen}
        describe={describe}
        onPoint={onPoint}
        onChoose={onChoose}
        region={corners}
        onRegion={(from, to) => replaceView({ region: regionBetween(grid, from, to), cell: undefined })}
      />
    )
  }
  const cellAt = (column: number) => ({ column, row: 0 })
  return (
    <Curve
      points={points}
      sloMs={slo.threshold_ms}
      xLabel={answer.x.label}
      label={`Predicted latency of ${answer.query} over ${answer.x.label}`}
      current={current.column}
      chosen={chosen && chosen.column}
      describe={(column) => describe(cellAt(column))}
      onPoint={(column) => onPoint(column === null ? null : cellAt(column))}
      onChoose={(column) => onChoose(cellAt(column))}
    />
  )
}

function LargestSafe({ answer }: { answer: HeatmapAnswer }) {
  const noun = answer.y ? 'pair of limits' : 'value'
  if (answer.largest_safe.length === 0) {
    return (
      <p className={styles['safe']}>{`No ${noun} that was measured, or lies between measured ones, keeps the SLO.`}</p>
    )
  }
  return (
    <section className={styles['safe']} aria-label="Largest limits that keep the SLO">
      <span className={styles['safeTitle']}>
        {answer.y ? 'Largest limits that keep the SLO' : 'Largest limit that keeps the SLO'}
      </span>
      {answer.largest_safe.map(({ x, y }) => (
        <Button key={`${x}:${y}`} size="small" onClick={() => setView({ cell: { x, y: y ?? 0 } })}>
          {y === null ? x : `${x} × ${y}`}
        </Button>
      ))}
    </section>
  )
}
