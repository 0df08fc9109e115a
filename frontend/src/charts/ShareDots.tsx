import type { ShareAxis } from '../logic/compliance'
import { formatPercent } from '../units'
import styles from './latency.module.css'

/** Shares of executions within an SLO's threshold. */
interface ShareDotsData {
  predicted: readonly [low: number, high: number]
  /** What counts as predicted. */
  region: readonly [low: number, high: number]
  observed: number
  interval: readonly [low: number, high: number]
  promised: number
}

const HEIGHT = 30
const AXIS_HEIGHT = 18
/** The space at both ends of the axis, in pixels: half of a number. */
const PADDING = 22

/** ◆ predicted in the region that counts as predicted, ● observed with its interval, │ what is promised. */
export function ShareDots({
  axis,
  data,
  width,
  label,
}: {
  axis: ShareAxis
  data: ShareDotsData
  width: number
  label: string
}) {
  const at = (share: number) => PADDING + axis.place(share) * Math.max(0, width - 2 * PADDING)
  const middle = HEIGHT / 2
  const { predicted, region, observed, interval, promised } = data
  const [low, high] = interval.map(at)
  const [from, to] = predicted.map(at)
  return (
    <svg width={width} height={HEIGHT + AXIS_HEIGHT} className={styles['dots']} role="img" aria-label={label}>
      <rect
        className={styles['asPredicted']}
        x={at(region[0])}
        y={2}
        width={Math.max(1, at(region[1]) - at(region[0]))}
        height={HEIGHT - 4}
      />
      {axis.ticks.map((tick) => (
        <g key={tick}>
          <line className={styles['grid']} x1={at(tick)} x2={at(tick)} y1={0} y2={HEIGHT} />
          <text className={styles['tick']} x={at(tick)} y={HEIGHT + 13} textAnchor="middle">
            {formatPercent(tick, 2)}
          </text>
        </g>
      ))}
      <line className={styles['slo']} x1={at(promised)} x2={at(promised)} y1={2} y2={HEIGHT - 2} />
      <path
        className={styles['interval']}
        d={`M${low},${middle - 4}v8M${low},${middle}H${high}M${high},${middle - 4}v8`}
      />
      <circle className={styles['observed']} cx={at(observed)} cy={middle} r={5} />
      <path className={styles['predicted']} d={`M${from},${middle - 6}l-6,6l6,6H${to}l6,-6l-6,-6z`} />
    </svg>
  )
}
