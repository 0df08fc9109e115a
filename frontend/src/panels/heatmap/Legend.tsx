import { cividis, type Grid, logScale } from '../../logic/heatmap'
import { formatMs, formatPercent } from '../../units'
import styles from './heatmap.module.css'

/** The colours of the scale, from the smallest to the largest latency. */
const STOPS = Array.from({ length: 12 }, (_, index) => {
  const { red, green, blue } = cividis(index / 11)
  return `rgb(${red},${green},${blue})`
})

interface LegendProps {
  grid: Grid
  thresholdMs: number
  quantile: number
  isTable: boolean
}

/** The legend of a map: its colours and marks. A table has signs instead, which are explained alike. */
export function Legend({ grid, thresholdMs, quantile, isTable }: LegendProps) {
  if (isTable) {
    return (
      <div className={styles['legend']}>
        <ul className={styles['curveMarks']} aria-label="Legend">
          <li>≈ interpolated</li>
          <li>? extrapolated</li>
          {grid.states.flat().includes('refused') ? <li>– too far to predict</li> : null}
          <li>✕ beyond the SLO</li>
          <li>{formatPercent(quantile, 2)} quantile, worst interval</li>
        </ul>
      </div>
    )
  }
  const scale = logScale(grid.p99.flat())
  const isInRange = thresholdMs > scale.low && thresholdMs < scale.high
  return (
    <div className={styles['legend']}>
      <div className={styles['ramp']}>
        <span className="numeric">{formatMs(scale.low)}</span>
        <span className={styles['rampBar']} style={{ background: `linear-gradient(90deg, ${STOPS.join(',')})` }}>
          {isInRange ? (
            <span className={styles['rampSlo']} style={{ left: `${scale.share(thresholdMs) * 100}%` }} />
          ) : null}
        </span>
        <span className="numeric">{formatMs(scale.high)}</span>
        <span className={styles['rampNote']}>{formatPercent(quantile, 2)} quantile, worst interval</span>
      </div>
      <ul className={styles['marks']} aria-label="Legend">
        <li>
          <span className={styles['markDot']} aria-hidden /> measured
        </li>
        <li>
          <span aria-hidden /> interpolated
        </li>
        <li>
          <span className={styles['markQuestion']} aria-hidden>
            ?
          </span>{' '}
          extrapolated
        </li>
        {grid.states.flat().includes('refused') ? (
          <li>
            <span className={styles['markRefused']} aria-hidden>
              –
            </span>{' '}
            too far to predict
          </li>
        ) : null}
        <li>
          <span className={styles['markHatch']} aria-hidden /> beyond the SLO
        </li>
        <li>
          <span className={styles['markCurrent']} aria-hidden /> limits in the text
        </li>
      </ul>
    </div>
  )
}
