import { scaleLog } from 'd3-scale'
import { area, line } from 'd3-shape'
import { logTicks } from '../logic/log-ticks'
import { endOf, placedLabels, type UsersLine, usersSpan } from '../logic/users-curve'
import { formatMs, formatTick } from '../units'
import { fitted } from './fitted'
import styles from './users-curve.module.css'
import { useSize } from './useSize'

interface UsersCurveProps {
  lines: readonly UsersLine[]
  /** The thresholds that are promised, in ms. */
  slosMs: readonly number[]
  /** The number of users that is looked at. */
  users: number
  /** What the drawing says, for screen readers; its numbers are in a table. */
  label: string
}

/** In pixels, as all sizes here. */
const MARGIN = { top: 14, bottom: 40, left: 64 }
const NAME_WIDTH = 150
const NAME_GAP = 12
const NARROW = 520
const FEWEST = 1e3
const MOST = 1e9
const MARKS: readonly [number, string][] = [3, 4, 5, 6, 7, 8, 9].map((power) => [
  10 ** power,
  ['1k', '10k', '100k', '1M', '10M', '100M', '1G'][power - 3] ?? '',
])

/**
 * Latency against the number of users, both axes logarithmic.
 *
 *    ms ▲                ╱ without a bound: it grows with the users
 *       │ ══════════════╳═ the SLO, ╳ where it breaks
 *       │            ╱╱
 *       │ ───────────╯╯    with a bound: flat, until its nodes are full
 *       └────────────────▶ users
 */
export function UsersCurve({ lines, slosMs, users, label }: UsersCurveProps) {
  const [frame, { width, height }] = useSize<HTMLDivElement>()
  const nameWidth = width < NARROW ? 12 : NAME_WIDTH
  const right = Math.max(MARGIN.left + 40, width - nameWidth)
  const bottom = Math.max(MARGIN.top + 40, height - MARGIN.bottom)
  const span = usersSpan(lines, slosMs)
  const x = scaleLog().domain([FEWEST, MOST]).range([MARGIN.left, right]).clamp(true)
  const y = scaleLog().domain([span.low, span.high]).range([bottom, MARGIN.top])
  const names = placedLabels(
    lines.flatMap((drawn) => {
      const end = endOf(drawn, span.high)
      return end ? [{ name: drawn.name, x: x(end.users) + NAME_GAP, y: y(end.ms) }] : []
    }),
    MARGIN.top + 6,
    bottom,
  )
  return (
    <div className={styles['frame']} ref={frame} role="img" aria-label={label}>
      <svg className={styles['drawing']} width={width} height={height} aria-hidden>
        {logTicks(span.low, span.high).map((tick) => (
          <g key={tick}>
            <line className={styles['grid']} x1={MARGIN.left} x2={right} y1={y(tick)} y2={y(tick)} />
            <text className={styles['tick']} x={MARGIN.left - 8} y={y(tick) + 4} textAnchor="end">
              {formatTick(tick)}
            </text>
          </g>
        ))}
        {MARKS.map(([mark, text]) => (
          <text key={mark} className={styles['tick']} x={x(mark)} y={bottom + 18} textAnchor="middle">
            {text}
          </text>
        ))}
        <line className={styles['cursor']} x1={x(users)} x2={x(users)} y1={MARGIN.top} y2={bottom} />
        {slosMs.map((slo) => (
          <g key={slo}>
            <line className={styles['sloOuter']} x1={MARGIN.left} x2={right} y1={y(slo)} y2={y(slo)} />
            <line className={styles['sloInner']} x1={MARGIN.left} x2={right} y1={y(slo)} y2={y(slo)} />
            <text className={styles['sloText']} x={MARGIN.left + 6} y={y(slo) - 6}>
              SLO {formatMs(slo)}
            </text>
          </g>
        ))}
        {lines.map(({ name, kind, points, breaksAt, sloMs }) => (
          <g key={`${kind} ${name}`} data-kind={kind}>
            <path
              className={styles['band']}
              d={
                area<(typeof points)[number]>()
                  .x((point) => x(point.users))
                  .y0((point) => y(point.low))
                  .y1((point) => y(point.high))([...points]) ?? ''
              }
            />
            <path
              className={styles['line']}
              d={
                line<(typeof points)[number]>()
                  .x((point) => x(point.users))
                  .y((point) => y(point.mid))([...points]) ?? ''
              }
            />
            {breaksAt !== null && sloMs !== null && breaksAt >= FEWEST && breaksAt <= MOST ? (
              <Break x={x(breaksAt)} y={y(sloMs)} />
            ) : null}
          </g>
        ))}
        {nameWidth === NAME_WIDTH
          ? names.map((placed) => (
              <text key={placed.name} className={styles['name']} x={placed.x} y={placed.y + 4}>
                {fitted(placed.name, width - placed.x)}
              </text>
            ))
          : null}
        <text className={styles['axis']} x={(MARGIN.left + right) / 2} y={height - 6} textAnchor="middle">
          users
        </text>
      </svg>
    </div>
  )
}

/** Where a line passes its SLO. */
function Break({ x, y }: { x: number; y: number }) {
  return (
    <g className={styles['break']}>
      <circle cx={x} cy={y} r={8} />
      <path d={`M${x - 4} ${y - 4}l8 8m0-8l-8 8`} />
    </g>
  )
}
