import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { curve } from '../../api/queries'
import type { Axis, Curve as CurveAnswer, ProfileRun, Query } from '../../api/types'
import { isPredicted, planKey, useLacks } from '../../app/predictions'
import { setView, useView } from '../../app/url-state'
import { Curve } from '../../charts/Curve'
import { sourceFiles } from '../../documents/documents'
import type { CurvePoint } from '../../logic/curve'
import { axisValues, cellText, nearestCell } from '../../logic/heatmap'
import type { SloTarget } from '../../logic/view'
import { Button } from '../../ui/Button'
import { EmptyState } from '../../ui/EmptyState'
import { ErrorNotice } from '../../ui/Notice'
import { formatMs, formatPercent } from '../../units'
import { CellDetail, type Limit } from './CellDetail'
import { CurveTable } from './CurveTable'
import styles from './heatmap.module.css'
import { NotMeasured } from './NotMeasured'
import { Warnings } from './Warnings'

interface CurveViewProps {
  query: Query
  run: ProfileRun
  slo: SloTarget
  x: Axis
  further: readonly Limit[]
}

/** Latency along one limit, the others where they are put. */
export function CurveView({ query, run, slo, x, further }: CurveViewProps) {
  const values = Object.fromEntries(further.map(({ axis, value }) => [axis.symbol, value]))
  const request = {
    query: query.name,
    runId: run.id,
    x: { symbol: x.symbol, values: axisValues(x.current) },
    slo,
    values,
  }
  const { data, error, isFetching } = useQuery(curve(planKey(query), sourceFiles, request))
  const ownLack = useLacks().get(query.name) // what the query itself asks for, not the first point of the curve
  if (error) {
    return (
      <div className={styles['padded']}>
        <ErrorNotice error={error} />
      </div>
    )
  }
  if (data && !isPredicted(data)) return <NotMeasured lack={ownLack ?? data} />
  if (data?.query !== query.name || data.x.symbol !== x.symbol) return <EmptyState title="Predicting…" />
  return <Answer answer={data} x={x} slo={slo} further={further} isStale={isFetching} />
}

function Answer({
  answer,
  x,
  slo,
  further,
  isStale,
}: {
  answer: CurveAnswer
  x: Axis
  slo: SloTarget
  further: readonly Limit[]
  isStale: boolean
}) {
  const { cell, as } = useView()
  const [pointed, setPointed] = useState<number | null>(null)
  const points = useMemo(() => pointsOf(answer), [answer])
  const indexOf = (value: number) => nearestCell({ xs: answer.x.values, ys: [1] }, value, 1).column
  const current = indexOf(answer.x.current)
  const chosen = cell ? indexOf(cell.x) : null
  const shown = chosen ?? pointed ?? current
  const describe = (index: number) =>
    `${answer.x.label} ${answer.x.values[index]}: ${cellText(formatMs(answer.p99_ms[index]), answer.state[index], answer.meets_slo[index], `the SLO of ${formatMs(slo.threshold_ms)}`)}`
  const choose = (index: number) => setView({ cell: { x: answer.x.values[index] ?? 0, y: 0 } })
  const largest = answer.largest_safe
  return (
    <>
      <div className={styles['chart']} data-stale={isStale} aria-busy={isStale}>
        {as === 'table' ? (
          <CurveTable answer={answer} onChoose={choose} />
        ) : (
          <Curve
            points={points}
            sloMs={slo.threshold_ms}
            xLabel={answer.x.label}
            label={`Predicted latency of ${answer.query} over ${answer.x.label}`}
            current={current}
            chosen={chosen}
            describe={describe}
            onPoint={setPointed}
            onChoose={choose}
          />
        )}
      </div>
      <CurveLegend answer={answer} />
      <CellDetail
        query={answer.query}
        limits={[{ axis: x, value: answer.x.values[shown] ?? answer.x.current }, ...further]}
        typical={answer.typical_p99_ms[shown] ?? null}
        worst={answer.p99_ms[shown] ?? null}
        state={answer.state[shown] ?? 'measured'}
        isKept={answer.meets_slo[shown] ?? false}
        upperFactor={answer.upper_factor}
        isChosen={chosen !== null}
        description={describe(shown)}
        whatToChoose="a point"
      />
      {largest === null ? (
        <p className={styles['safe']}>No value that was measured, or lies between measured ones, keeps the SLO.</p>
      ) : (
        <section className={styles['safe']} aria-label="Largest safe limits">
          <span className={styles['safeTitle']}>Largest safe limit</span>
          <Button size="small" onClick={() => setView({ cell: { x: largest, y: 0 } })}>
            {largest}
          </Button>
        </section>
      )}
      <Warnings warnings={answer.warnings} />
    </>
  )
}

function CurveLegend({ answer }: { answer: CurveAnswer }) {
  return (
    <div className={styles['legend']}>
      <ul className={styles['curveMarks']} aria-label="Legend">
        <li>● measured</li>
        <li>○ interpolated</li>
        <li>? extrapolated</li>
        {answer.state.includes('refused') ? <li>– too far to predict</li> : null}
        {answer.upper_factor === null ? null : <li>╌ holds in 9 of 10 cases</li>}
        <li>═ SLO, hatched beyond it</li>
        <li>◌ limit in the text</li>
        <li>{formatPercent(answer.quantile, 2)} quantile, worst interval</li>
      </ul>
    </div>
  )
}

function pointsOf(answer: CurveAnswer): CurvePoint[] {
  return answer.x.values.map((value, index) => {
    const latencyMs = answer.p99_ms[index] ?? null
    return {
      value,
      latencyMs,
      upperMs: latencyMs === null || answer.upper_factor === null ? null : latencyMs * answer.upper_factor,
      state: answer.state[index] ?? 'measured',
      isKept: answer.meets_slo[index] ?? false,
    }
  })
}
