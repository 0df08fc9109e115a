import { scaleLinear, scaleLog } from 'd3-scale'
import { line } from 'd3-shape'
import { logTicks } from '../logic/log-ticks'
import { formatTick } from '../units'
import styles from './latency.module.css'
import { useSize } from './useSize'

/** One class of sizes: its largest size, and in ms the p99 with its interval, and what is predicted; null for none. */
interface SizeDot {
  size: number
  name: string
  p99Ms: number | null
  lowMs: number | null
  highMs: number | null
  predictedMs: number | null
  /** What a pointer that rests on it is told. */
  title: string
}

interface SizeDotsProps {
  dots: readonly SizeDot[]
  /** What the sizes count: requests or rows. */
  unit: string
  sloMs: number | null
  label: string
}

const HEIGHT = 170
const MARGIN = { left: 52, right: 14, top: 10, bottom: 36 }
const CAP = 4
const ROOM_OF_NAME = 54 // pixels

/**
 * A dot for each class of sizes: p99 over size, both on logarithmic axes, with its interval; ◆ and the line are predicted,
 * dashes are the SLO. An interval without an upper end goes to the top.
 *
 *     p99 │        ●
 *         │  ●  ◆──◆
 *         │  ◆─
 *         └────────── size
 */
export function SizeDots({ dots, unit, sloMs, label }: SizeDotsProps) {
  const [frame, { width }] = useSize<HTMLDivElement>()
  const times = [
    ...dots.flatMap(({ p99Ms, lowMs, highMs, predictedMs }) => [p99Ms, lowMs, highMs, predictedMs]),
    sloMs,
  ].filter((value): value is number => value !== null && value > 0)
  const places = dots.map(({ size }) => Math.log2(size + 1)) // 0 rows have a place, too
  const right = Math.max(MARGIN.left + 40, width - MARGIN.right)
  const x = scaleLinear([Math.min(...places) - 0.4, Math.max(...places) + 0.4], [MARGIN.left, right])
  const ys: [number, number] = [Math.min(...times, 1) / 1.3, Math.max(...times, Math.min(...times) * 2) * 1.3]
  const y = scaleLog(times.length > 0 ? ys : [0.1, 10], [HEIGHT - MARGIN.bottom, MARGIN.top])
  const at = (dot: SizeDot) => x(Math.log2(dot.size + 1))
  const predicted = dots.flatMap((dot) =>
    dot.predictedMs === null ? [] : [[at(dot), y(dot.predictedMs)] as [number, number]],
  )
  return (
    <div ref={frame} className={styles['series']}>
      <svg width={width} height={HEIGHT} role="img" aria-label={label}>
        {logTicks(...(y.domain() as [number, number])).map((tick) => (
          <g key={tick}>
            <line className={styles['grid']} x1={MARGIN.left} x2={right} y1={y(tick)} y2={y(tick)} />
            <text className={styles['tick']} x={MARGIN.left - 6} y={y(tick) + 4} textAnchor="end">
              {formatTick(tick)}
            </text>
          </g>
        ))}
        {named(dots, at).map((dot) => (
          <text
            key={dot.name}
            className={styles['tick']}
            x={at(dot)}
            y={HEIGHT - MARGIN.bottom + 15}
            textAnchor="middle"
          >
            {dot.name}
          </text>
        ))}
        <text className={styles['tick']} x={right} y={HEIGHT - 4} textAnchor="end">
          {unit} of an execution
        </text>
        {sloMs === null ? null : (
          <line className={styles['slo']} x1={MARGIN.left} x2={right} y1={y(sloMs)} y2={y(sloMs)} />
        )}
        {predicted.length > 1 ? <path className={styles['predictedCurve']} d={line()(predicted) ?? ''} /> : null}
        {dots.map((dot) => (
          <g key={`${dot.name} ${dot.title}`}>
            <title>{dot.title}</title>
            {dot.predictedMs === null ? null : (
              <path className={styles['predicted']} d={`M${at(dot)},${y(dot.predictedMs) - 5}l5,5l-5,5l-5,-5z`} />
            )}
            {dot.p99Ms === null ? null : (
              <>
                <path className={styles['interval']} d={intervalOf(dot, at(dot), y)} />
                <circle className={styles['observed']} cx={at(dot)} cy={y(dot.p99Ms)} r={4} />
              </>
            )}
          </g>
        ))}
      </svg>
    </div>
  )
}

/** A line from the low end of an interval to its high end, each with a cap; an end that is missing is an edge. */
function intervalOf({ p99Ms, lowMs, highMs }: SizeDot, x: number, y: (ms: number) => number): string {
  const low = y(lowMs ?? p99Ms ?? 1)
  const high = highMs === null ? MARGIN.top : y(highMs)
  const cap = (at: number) => `M${x - CAP},${at}h${2 * CAP}`
  return `M${x},${low}V${high}${lowMs === null ? '' : cap(low)}${highMs === null ? '' : cap(high)}`
}

/** The dots whose names have room below the axis; one of several at a place. */
function named(dots: readonly SizeDot[], at: (dot: SizeDot) => number): SizeDot[] {
  const shown: SizeDot[] = []
  for (const dot of dots.toSorted((a, b) => a.size - b.size)) {
    const last = shown.at(-1)
    if (!last || at(dot) - at(last) >= ROOM_OF_NAME) shown.push(dot)
  }
  return shown
}
