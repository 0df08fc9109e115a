import { scaleLog } from 'd3-scale'
import { line } from 'd3-shape'
import { type PointerEvent, useId } from 'react'
import { type CurvePoint, latencySpan, movePoint } from '../logic/curve'
import { logTicks } from '../logic/log-ticks'
import { formatMs, formatTick } from '../units'
import { CursorPlot } from './CursorPlot'
import styles from './curve.module.css'
import { fitted } from './fitted'
import { useSize } from './useSize'

interface CurveProps {
  points: readonly CurvePoint[]
  sloMs: number
  xLabel: string
  label: string
  /** The index of the point that has the limit's value in the text. */
  current: number | null
  /** The index of the chosen point. */
  chosen: number | null
  describe: (index: number) => string
  onPoint: (index: number | null) => void
  onChoose: (index: number) => void
}

/** In pixels, as all sizes here. */
const MARGIN = { top: 14, right: 20, bottom: 46, left: 64 }
/** The least distance between the middles of two numbers below the axis. */
const TICK_SPACE = 34

/**
 * Latency along one limit, both axes logarithmic.
 *
 *    ms ▲ ▨▨▨▨▨▨▨▨▨▨▨▨▨▨  ▨ beyond the SLO
 *       │ ════════════════  ═ the SLO
 *       │        ╌╌╌○╌╌?    ╌ the latency that 9 of 10 cases stay below
 *       │  ●──○──●──○──?    ● measured, ○ interpolated, ? extrapolated
 *       └────────────────▶ limit
 */
export function Curve({ points, sloMs, xLabel, label, current, chosen, describe, onPoint, onChoose }: CurveProps) {
  const [frame, { width, height }] = useSize<HTMLDivElement>()
  const right = Math.max(MARGIN.left + 40, width - MARGIN.right)
  const bottom = Math.max(MARGIN.top + 40, height - MARGIN.bottom)
  const values = points.map((point) => point.value)
  const span = latencySpan(points, sloMs)
  const x = scaleLog()
    .domain(values.length > 1 ? [values[0] ?? 1, values.at(-1) ?? 10] : [(values[0] ?? 1) / 2, (values[0] ?? 1) * 2])
    .range([MARGIN.left + 12, right - 12])
  const y = scaleLog().domain([span.low, span.high]).range([bottom, MARGIN.top])
  const path = (msOf: (point: CurvePoint) => number | null) =>
    line<CurvePoint>()
      .defined((point) => msOf(point) !== null)
      .x((point) => x(point.value))
      .y((point) => y(msOf(point) ?? span.low))([...points]) ?? ''
  const nearest = (event: PointerEvent): number => {
    const pointerX = event.clientX - event.currentTarget.getBoundingClientRect().left
    const distances = values.map((value) => Math.abs(x(value) - pointerX))
    return distances.indexOf(Math.min(...distances))
  }
  const isSloInSight = sloMs > span.low && sloMs < span.high
  const ticks = logTicks(span.low, span.high)
  return (
    <CursorPlot
      kind="curve"
      places="points"
      label={label}
      frame={frame}
      start={chosen ?? current ?? 0}
      move={(from, key) => movePoint(from, key, points.length)}
      under={nearest}
      describe={describe}
      onPoint={onPoint}
      onChoose={onChoose}
    >
      {(cursor, isFocused) => (
        <svg className={styles['drawing']} width={width} height={height} aria-hidden>
          {ticks.map((tick) => (
            <g key={tick}>
              <line className={styles['grid']} x1={MARGIN.left} x2={right} y1={y(tick)} y2={y(tick)} />
              <text className={styles['tick']} x={MARGIN.left - 8} y={y(tick) + 4} textAnchor="end">
                {formatTick(tick)}
              </text>
            </g>
          ))}
          {isSloInSight ? <SloBand sloMs={sloMs} y={y(sloMs)} right={right} /> : null}
          <path className={styles['upper']} d={path((point) => point.upperMs)} />
          <path className={styles['line']} d={path((point) => point.latencyMs)} />
          {points.map((point, index) => (
            <g key={point.value} data-state={point.state}>
              <Mark point={point} x={x(point.value)} y={point.latencyMs === null ? bottom - 8 : y(point.latencyMs)} />
              {hasRoom(values, index, x) ? (
                <text className={styles['tick']} x={x(point.value)} y={bottom + 18} textAnchor="middle">
                  {point.value}
                </text>
              ) : null}
            </g>
          ))}
          <Ring className={styles['current']} index={current} points={points} x={x} y={y} bottom={bottom} />
          <Ring className={styles['chosen']} index={chosen} points={points} x={x} y={y} bottom={bottom} />
          {cursor !== null && points[cursor] ? (
            <line
              className={styles['cursor']}
              data-focused={isFocused}
              x1={x(points[cursor].value)}
              x2={x(points[cursor].value)}
              y1={MARGIN.top}
              y2={bottom}
            />
          ) : null}
          <text className={styles['axis']} x={(MARGIN.left + right) / 2} y={height - 8} textAnchor="middle">
            {fitted(xLabel, right - MARGIN.left)}
          </text>
        </svg>
      )}
    </CursorPlot>
  )
}

/** The line of the SLO, and the hatched region of latencies above it. */
function SloBand({ sloMs, y, right }: { sloMs: number; y: number; right: number }) {
  const hatchId = useId()
  return (
    <>
      <defs>
        <pattern id={hatchId} width="7" height="7" patternTransform="rotate(45)" patternUnits="userSpaceOnUse">
          <line className={styles['hatch']} x1="0" x2="0" y1="0" y2="7" />
        </pattern>
      </defs>
      <rect
        fill={`url(#${hatchId})`}
        x={MARGIN.left}
        y={MARGIN.top}
        width={right - MARGIN.left}
        height={Math.max(0, y - MARGIN.top)}
      />
      <line className={styles['sloOuter']} x1={MARGIN.left} x2={right} y1={y} y2={y} />
      <line className={styles['sloInner']} x1={MARGIN.left} x2={right} y1={y} y2={y} />
      <text className={styles['sloText']} x={MARGIN.left + 6} y={y - 6}>
        SLO {formatMs(sloMs)}
      </text>
    </>
  )
}

/**
 * One point: a dot if measured, a circle if interpolated, `?` if extrapolated, `–` at the bottom without a prediction.
 */
function Mark({ point, x, y }: { point: CurvePoint; x: number; y: number }) {
  if (point.latencyMs === null) {
    return (
      <text className={styles['question']} x={x} y={y} textAnchor="middle">
        –
      </text>
    )
  }
  if (point.state === 'extrapolated') {
    return (
      <>
        <circle className={styles['blank']} cx={x} cy={y} r={6} />
        <text className={styles['question']} x={x} y={y + 4} textAnchor="middle">
          ?
        </text>
      </>
    )
  }
  return <circle className={styles[point.state === 'measured' ? 'measured' : 'interpolated']} cx={x} cy={y} r={4} />
}

interface RingProps {
  className: string | undefined
  index: number | null
  points: readonly CurvePoint[]
  x: (value: number) => number
  y: (value: number) => number
  bottom: number
}

/** A ring around the point at `index`; nothing without one. */
function Ring({ className, index, points, x, y, bottom }: RingProps) {
  const point = index === null ? undefined : points[index]
  if (!point) return null
  return (
    <circle
      className={className}
      cx={x(point.value)}
      cy={point.latencyMs === null ? bottom - 12 : y(point.latencyMs)}
      r={9}
    />
  )
}

/** Whether the value at `index` is written below the axis: from left to right, those without room are left out. */
function hasRoom(values: readonly number[], index: number, x: (value: number) => number): boolean {
  let lastWritten = -Infinity
  for (let candidate = 0; candidate <= index; candidate += 1) {
    const position = x(values[candidate] ?? 1)
    if (position - lastWritten < TICK_SPACE) continue
    if (candidate === index) return true
    lastWritten = position
  }
  return false
}
