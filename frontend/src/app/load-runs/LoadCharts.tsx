import type { LoadRun, LoadSecond } from '../../api/types'
import { SecondsChart } from '../../charts/SecondsChart'
import { ALL, loadPoints } from '../../logic/load-lines'
import { formatCount, formatMs, plural } from '../../units'
import styles from './load-runs.module.css'

interface LoadChartsProps {
  run: LoadRun
  seconds: readonly LoadSecond[]
  /** The query that is shown; ALL for all together. */
  query: string
}

/** Latency with prediction and SLO, throughput, errors and refusals, over the seconds of a run. */
export function LoadCharts({ run, seconds, query }: LoadChartsProps) {
  if (seconds.length === 0) return null
  const points = loadPoints(seconds, query)
  const at = points.map((point) => point.at)
  const promised = run.queries.find(({ name }) => name === query)
  const of = query === ALL ? 'all queries' : query
  const asked = points.map((point) => point.asked)
  const shared = { at, seconds: run.seconds_total }
  const levels = [
    ...(promised?.slo_threshold_ms
      ? [{ name: `SLO p${share(promised.slo_quantile)}`, value: promised.slo_threshold_ms, look: 'slo' as const }]
      : []),
    ...(promised?.predicted_p99_ms
      ? [{ name: 'predicted p99 at its limits', value: promised.predicted_p99_ms, look: 'predicted' as const }]
      : []),
  ]
  return (
    <div className={styles['charts']}>
      <figure>
        <figcaption>
          Latency over the last 10 s
          {query === ALL ? '' : `, of at most ${plural(promised?.bound_operations ?? 0, 'request')} a call`}
        </figcaption>
        <SecondsChart
          {...shared}
          label={`Latency of ${of} while it runs`}
          isLogarithmic
          format={formatMs}
          levels={levels}
          series={[
            { name: 'p50', look: 'soft', values: points.map((point) => point.p50) },
            { name: 'p99', look: 'main', values: points.map((point) => point.p99) },
          ]}
        />
        {levels.length === 0 ? <p className={styles['soft']}>{noLevels(run, query)}</p> : null}
      </figure>
      <figure>
        <figcaption>Calls a second</figcaption>
        <SecondsChart
          {...shared}
          label={`Calls a second of ${of}`}
          format={(value) => formatCount(Math.round(value))}
          series={[
            ...(asked.some((rate) => rate !== null) ? [{ name: 'asked', look: 'soft' as const, values: asked }] : []),
            { name: 'done', look: 'main', values: points.map((point) => point.done) },
          ]}
        />
      </figure>
      <figure>
        <figcaption>Errors and refusals, by the second</figcaption>
        <SecondsChart
          {...shared}
          label={`Errors and refusals of ${of}`}
          format={(value) => formatCount(Math.round(value))}
          series={[
            { name: 'errors', look: 'danger', values: points.map((point) => point.errors) },
            { name: 'refused', look: 'warning', values: points.map((point) => point.refused) },
          ]}
        />
      </figure>
    </div>
  )
}

/** Why no line across says what was promised or predicted. */
function noLevels(run: LoadRun, query: string): string {
  if (query !== ALL) return 'It has no SLO, and was deployed without a profile run that predicts it.'
  const isKnown = run.queries.some((called) => called.slo_threshold_ms ?? called.predicted_p99_ms)
  return isKnown ? 'Choose one query to see its prediction and its SLO.' : ''
}

function share(quantile: number | null): string {
  return String(Number(((quantile ?? 0) * 100).toFixed(4)))
}
