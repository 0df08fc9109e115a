import { formatMs } from '../units'
import styles from './latency.module.css'

interface IntervalDotsProps {
  /** The p99 of each profile interval. */
  values: readonly number[]
  thresholdMs: number
  label: string
}

const WIDTH = 240
const HEIGHT = 44
const LINE = 15
const MARGIN = 8

/**
 * How much p99 varies from interval to interval: one dot for each on a line of milliseconds, and a mark at the SLO. An
 * SLO far above all dots (over 1.6 times the largest) is left out, or the dots would lie on each other.
 */
export function IntervalDots({ values, thresholdMs, label }: IntervalDotsProps) {
  const least = Math.min(...values)
  const most = Math.max(...values)
  const isInRange = thresholdMs <= most * 1.6
  const low = Math.min(least, isInRange ? thresholdMs : least) * 0.95
  const high = Math.max(most, isInRange ? thresholdMs : most) * 1.05
  const at = (value: number) => MARGIN + ((value - low) / Math.max(high - low, 1e-9)) * (WIDTH - 2 * MARGIN)
  return (
    <svg className={styles['intervals']} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      <line className={styles['intervalAxis']} x1={MARGIN} x2={WIDTH - MARGIN} y1={LINE} y2={LINE} />
      {isInRange ? (
        <line className={styles['intervalSlo']} x1={at(thresholdMs)} x2={at(thresholdMs)} y1={3} y2={2 * LINE - 3}>
          <title>SLO {formatMs(thresholdMs)}</title>
        </line>
      ) : null}
      {values.map((value, index) => (
        <circle
          key={index}
          className={styles['intervalDot']}
          data-over={value > thresholdMs}
          cx={at(value)}
          cy={LINE}
          r={4}
        >
          <title>{`Interval ${index + 1}: ${formatMs(value)}`}</title>
        </circle>
      ))}
      <text className={styles['tick']} x={at(least)} y={HEIGHT - 4} textAnchor={anchor(at(least))}>
        {formatMs(least)}
      </text>
      {at(most) - at(least) > 70 ? (
        <text className={styles['tick']} x={at(most)} y={HEIGHT - 4} textAnchor={anchor(at(most))}>
          {formatMs(most)}
        </text>
      ) : null}
    </svg>
  )
}

/** A number stands in the middle under its dot, or at the edge that it would leave. */
function anchor(x: number): 'start' | 'middle' | 'end' {
  return x < 28 ? 'start' : x > WIDTH - 28 ? 'end' : 'middle'
}
