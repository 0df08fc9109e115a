import type { LogAxis } from '../logic/latency-comparison'
import { formatMs, formatTick } from '../units'
import styles from './latency.module.css'

/** p99 of one query in milliseconds; null for what is not known. */
export interface LatencyDotsData {
  predicted: number | null
  observed: number | null
  /** The confidence interval of `observed`. */
  low: number | null
  high: number | null
  slo: number | null
}

const HEIGHT = 30
/** The space at both ends of the axis, in pixels. */
const PADDING = 8

/** One query on a shared logarithmic axis: ◆ predicted, ● observed with its interval, │ the SLO. */
export function LatencyDots({ axis, data, width }: { axis: LogAxis; data: LatencyDotsData; width: number }) {
  const at = (value: number) => PADDING + axis.place(value) * Math.max(0, width - 2 * PADDING)
  const middle = HEIGHT / 2
  const { predicted, observed, low, high, slo } = data
  return (
    <svg width={width} height={HEIGHT} className={styles['dots']} role="img" aria-label={describe(data)}>
      {axis.ticks.map((tick) => (
        <line key={tick} className={styles['grid']} x1={at(tick)} x2={at(tick)} y1={0} y2={HEIGHT} />
      ))}
      {slo !== null && slo <= axis.high ? (
        <>
          <rect
            className={styles['beyond']}
            x={at(slo)}
            y={0}
            width={Math.max(0, width - PADDING - at(slo))}
            height={HEIGHT}
          />
          <line className={styles['slo']} x1={at(slo)} x2={at(slo)} y1={2} y2={HEIGHT - 2} />
        </>
      ) : null}
      {predicted !== null && observed !== null ? (
        <line className={styles['gap']} x1={at(predicted)} x2={at(observed)} y1={middle} y2={middle} />
      ) : null}
      {low !== null && high !== null ? (
        <path
          className={styles['interval']}
          d={`M${at(low)},${middle - 4}v8M${at(low)},${middle}H${at(high)}M${at(high)},${middle - 4}v8`}
        />
      ) : null}
      {observed !== null ? <circle className={styles['observed']} cx={at(observed)} cy={middle} r={5} /> : null}
      {predicted !== null ? (
        <path className={styles['predicted']} d={`M${at(predicted)},${middle - 6}l6,6l-6,6l-6,-6z`} />
      ) : null}
    </svg>
  )
}

/** The numbers of the shared axis, under a column of `LatencyDots`; every second, third … where there is no room. */
export function LatencyAxis({ axis, width }: { axis: LogAxis; width: number }) {
  const step = Math.max(1, Math.ceil((52 * axis.ticks.length) / Math.max(width, 1)))
  return (
    <svg width={width} height={18} aria-hidden className={styles['dots']}>
      {axis.ticks
        .filter((_, index) => index % step === 0)
        .map((tick) => (
          <text
            key={tick}
            className={styles['tick']}
            x={PADDING + axis.place(tick) * Math.max(0, width - 2 * PADDING)}
            y={13}
            textAnchor="middle"
          >
            {formatTick(tick)}
          </text>
        ))}
    </svg>
  )
}

function describe({ predicted, observed, slo }: LatencyDotsData): string {
  return [
    observed === null ? 'not observed' : `observed p99 ${formatMs(observed)}`,
    predicted === null ? 'not predicted' : `predicted p99 ≈ ${formatMs(predicted)}`,
    slo === null ? null : `SLO ${formatMs(slo)}`,
  ]
    .filter(Boolean)
    .join(', ')
}
