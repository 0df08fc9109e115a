import { scaleLog } from 'd3-scale'
import { logTicks } from '../logic/log-ticks'
import { formatCount, formatMs, formatTick } from '../units'
import styles from './latency.module.css'
import { useSize } from './useSize'

/** One hour: the executions of all queries in it, and the p99 of one. */
interface LoadDot {
  at: string
  load: number
  p99_ms: number
}

const HEIGHT = 150
const MARGIN = { left: 52, right: 10, top: 8, bottom: 34 }

/** A dot for each hour: p99 over load, both on logarithmic axes; the SLO as dashes. */
export function LoadDots({ dots, sloMs, label }: { dots: readonly LoadDot[]; sloMs: number | null; label: string }) {
  const [frame, { width }] = useSize<HTMLDivElement>()
  const loads = dots.map(({ load }) => Math.max(load, 1))
  const times = [...dots.map(({ p99_ms }) => p99_ms), ...(sloMs === null ? [] : [sloMs])]
  const xs: [number, number] = [Math.min(...loads) / 1.1, Math.max(...loads) * 1.1]
  const ys: [number, number] = [Math.min(...times) / 1.3, Math.max(...times) * 1.3]
  const x = scaleLog(xs, [MARGIN.left, Math.max(MARGIN.left + 40, width - MARGIN.right)])
  const y = scaleLog(ys, [HEIGHT - MARGIN.bottom, MARGIN.top])
  const right = x(xs[1])
  return (
    <div ref={frame} className={styles['series']}>
      <svg width={width} height={HEIGHT} role="img" aria-label={label}>
        {logTicks(...ys).map((tick) => (
          <g key={tick}>
            <line className={styles['grid']} x1={MARGIN.left} x2={right} y1={y(tick)} y2={y(tick)} />
            <text className={styles['tick']} x={MARGIN.left - 6} y={y(tick) + 4} textAnchor="end">
              {formatTick(tick)}
            </text>
          </g>
        ))}
        {logTicks(...xs).map((tick) => (
          <text key={tick} className={styles['tick']} x={x(tick)} y={HEIGHT - MARGIN.bottom + 15} textAnchor="middle">
            {formatCount(tick)}
          </text>
        ))}
        <text className={styles['tick']} x={right} y={HEIGHT - 4} textAnchor="end">
          executions of all queries an hour
        </text>
        {sloMs === null ? null : (
          <line className={styles['slo']} x1={MARGIN.left} x2={right} y1={y(sloMs)} y2={y(sloMs)} />
        )}
        {dots.map(({ at, load, p99_ms }) => (
          <circle key={at} className={styles['observed']} cx={x(Math.max(load, 1))} cy={y(p99_ms)} r={3}>
            <title>{`${formatCount(load)} executions: p99 ${formatMs(p99_ms)}`}</title>
          </circle>
        ))}
      </svg>
    </div>
  )
}
