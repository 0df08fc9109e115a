import { scaleLog, scaleTime } from 'd3-scale'
import { line } from 'd3-shape'
import { logTicks } from '../logic/log-ticks'
import { namedMarkers } from '../logic/marker-names'
import { tickTimes, timeSpan } from '../logic/time-axis'
import { formatDay, formatMs, formatTick, formatTime } from '../units'
import styles from './latency.module.css'
import { useSize } from './useSize'

interface LatencySeriesProps {
  /** Observed intervals in the order of time; `at` is an ISO timestamp, `count` the number of executions. */
  points: readonly { at: string; p50_ms: number; p99_ms: number; p999_ms: number; count: number }[]
  predictedMs: number | null
  sloMs: number | null
  /** Deployments in the time that is shown: a full line for a new plan of the query, a broken one for the same plan. */
  markers?: readonly { version: number; at: string; isNewPlan: boolean }[]
  label: string
}

const HEIGHT = 190
const MARGIN = { top: 10, right: 86, bottom: 24, left: 52 }

/** p50, p99 and p99.9 over time on a logarithmic axis, with the prediction and the SLO as lines across. */
export function LatencySeries({ points, predictedMs, sloMs, markers = [], label }: LatencySeriesProps) {
  const [frame, { width }] = useSize<HTMLDivElement>()
  const right = Math.max(MARGIN.left + 40, width - MARGIN.right)
  const instants = points.map((point) => new Date(point.at))
  const values = [...points.flatMap((point) => [point.p50_ms, point.p99_ms, point.p999_ms]), predictedMs, sloMs].filter(
    (value): value is number => value !== null && value > 0,
  )
  const low = values.length > 0 ? Math.min(...values) * 0.7 : 1
  const high = values.length > 0 ? Math.max(...values) * 1.3 : 10
  const y = scaleLog()
    .domain([low, high])
    .range([HEIGHT - MARGIN.bottom, MARGIN.top])
  const x = scaleTime()
    .domain(timeSpan(withLater(instants, markers)))
    .range([MARGIN.left, right])
  const path = (value: (point: (typeof points)[number]) => number) =>
    line<(typeof points)[number]>()
      .x((point) => x(new Date(point.at)))
      .y((point) => y(Math.max(value(point), 1e-6)))([...points]) ?? ''
  const shownMarkers = markers
    .filter(({ at }) => isWithin(new Date(at), x.domain()))
    .map((marker) => ({ ...marker, place: x(new Date(marker.at)) }))
  const names = namedMarkers(shownMarkers, { left: MARGIN.left, right })
  const instantTicks = x.ticks(Math.max(2, Math.floor((right - MARGIN.left) / 90)))
  const times = tickTimes(instantTicks)
  const last = points.at(-1)
  const radius = points.length === 1 ? 5 : 2.5 // a single point has no line, so its dot is larger
  const ticks = logTicks(low, high)
  return (
    <div ref={frame} className={styles['series']}>
      <svg width={width} height={HEIGHT} role="img" aria-label={label}>
        {ticks.map((tick) => (
          <g key={tick}>
            <line className={styles['grid']} x1={MARGIN.left} x2={right} y1={y(tick)} y2={y(tick)} />
            <text className={styles['tick']} x={MARGIN.left - 8} y={y(tick) + 4} textAnchor="end">
              {formatTick(tick)}
            </text>
          </g>
        ))}
        {instantTicks.map((tick, index) => (
          <text key={tick.getTime()} className={styles['tick']} x={x(tick)} y={HEIGHT - 6} textAnchor="middle">
            {times[index]}
          </text>
        ))}
        {shownMarkers.map(({ version, at, isNewPlan, place }) => (
          <g key={version} className={styles['deployment']} data-new-plan={isNewPlan}>
            <title>{`Version ${version}, ${formatDay(at)}${isNewPlan ? ': another plan' : ': the same plan'}`}</title>
            <line x1={place} x2={place} y1={MARGIN.top} y2={HEIGHT - MARGIN.bottom} />
          </g>
        ))}
        {sloMs !== null ? <Level className={styles['slo']} y={y(sloMs)} right={right} /> : null}
        {predictedMs !== null ? <Level className={styles['predictedLine']} y={y(predictedMs)} right={right} /> : null}
        <path className={styles['p50Line']} d={path((point) => point.p50_ms)} />
        <path className={styles['p999Line']} d={path((point) => point.p999_ms)} />
        <path className={styles['p99Line']} d={path((point) => point.p99_ms)} />
        {points.map((point) => (
          <circle
            key={point.at}
            className={styles['observed']}
            cx={x(new Date(point.at))}
            cy={y(Math.max(point.p99_ms, 1e-6))}
            r={radius}
          >
            <title>{`${formatTime(point.at)}: p99.9 ${formatMs(point.p999_ms)}, p99 ${formatMs(point.p99_ms)}, p50 ${formatMs(point.p50_ms)}, ${point.count} executions`}</title>
          </circle>
        ))}
        {points.length === 1
          ? points.map((point) => (
              <circle
                key={point.at}
                className={styles['observed']}
                cx={x(new Date(point.at))}
                cy={y(Math.max(point.p50_ms, 1e-6))}
                r={radius}
              />
            ))
          : null}
        {sloMs !== null ? (
          <LevelName
            y={y(sloMs)}
            text={`SLO ${formatMs(sloMs)}`}
            isAbove={predictedMs === null || sloMs >= predictedMs}
          />
        ) : null}
        {predictedMs !== null ? (
          <LevelName
            y={y(predictedMs)}
            text={`predicted p99 ≈ ${formatMs(predictedMs)}`}
            isAbove={sloMs !== null && predictedMs > sloMs}
          />
        ) : null}
        {names.map(({ text, place, anchor }) => (
          <text key={text} className={styles['levelText']} x={place} y={HEIGHT - MARGIN.bottom - 5} textAnchor={anchor}>
            {text}
          </text>
        ))}
        {last ? <EndLabels last={last} y={(ms) => y(Math.max(ms, 1e-6))} x={right + 8} /> : null}
      </svg>
    </div>
  )
}

/** The instants that the time axis must hold: those of the points, and deployments after the last point. */
function withLater(instants: readonly Date[], markers: readonly { at: string }[]): Date[] {
  const last = instants.at(-1)
  const later = markers.map(({ at }) => new Date(at)).filter((at) => last !== undefined && at > last)
  return [...instants, ...later]
}

function isWithin(instant: Date, [first, last]: Date[]): boolean {
  return first !== undefined && last !== undefined && instant >= first && instant <= last
}

/** A horizontal line across the chart. */
function Level({ className, y, right }: { className: string | undefined; y: number; right: number }) {
  return <line className={className} x1={MARGIN.left} x2={right} y1={y} y2={y} />
}

interface LevelNameProps {
  y: number
  text: string
  /** Whether the name is above its line; of two lines, the upper one has it above and the lower one below. */
  isAbove: boolean
}

/** The name of a level; drawn after all lines, so that none crosses it. */
function LevelName({ y, text, isAbove }: LevelNameProps) {
  return (
    <text className={styles['levelText']} x={MARGIN.left + 6} y={isAbove ? y - 4 : y + 12}>
      {text}
    </text>
  )
}

interface EndLabelsProps {
  last: LatencySeriesProps['points'][number]
  y: (ms: number) => number
  x: number
}

/** The names of the curves p99 and p50 behind their last points, moved apart where they would overlap. */
function EndLabels({ last, y, x }: EndLabelsProps) {
  const lineHeight = 13
  const apart = Math.max(0, (lineHeight - (y(last.p50_ms) - y(last.p99_ms))) / 2)
  return (
    <>
      <text className={styles['endLabel']} x={x} y={y(last.p99_ms) + 4 - apart}>
        p99 {formatMs(last.p99_ms)}
      </text>
      <text className={styles['endLabel']} x={x} y={y(last.p50_ms) + 4 + apart}>
        p50 {formatMs(last.p50_ms)}
      </text>
    </>
  )
}
