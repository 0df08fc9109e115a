import { scaleLinear, scaleLog } from 'd3-scale'
import { line } from 'd3-shape'
import { logTicks } from '../logic/log-ticks'
import latency from './latency.module.css'
import styles from './seconds-chart.module.css'
import { useSize } from './useSize'

interface Series {
  name: string
  /** The look of the line: how it is coloured and broken. */
  look: 'main' | 'soft' | 'danger' | 'warning'
  values: readonly (number | null)[]
}

interface SecondsChartProps {
  label: string
  /** The seconds since the run began. */
  at: readonly number[]
  /** How long the run takes; the axis is as long from the beginning. */
  seconds: number
  series: readonly Series[]
  /** Lines across, such as an SLO. */
  levels?: readonly { name: string; value: number; look: 'slo' | 'predicted' }[]
  format: (value: number) => string
  isLogarithmic?: boolean
}

const HEIGHT = 180
const MARGIN = { top: 12, right: 104, bottom: 24, left: 56 }
const TICKS = 4
const LETTERS_APART = 14

/** Lines over the seconds of a run that may still go on, each named at its end; a gap where nothing is known. */
export function SecondsChart({ label, at, seconds, series, levels = [], format, isLogarithmic }: SecondsChartProps) {
  const [frame, { width }] = useSize<HTMLDivElement>()
  const right = Math.max(MARGIN.left + 40, width - MARGIN.right)
  const bottom = HEIGHT - MARGIN.bottom
  const known = [...series.flatMap(({ values }) => values), ...levels.map(({ value }) => value)].filter(
    (value): value is number => value !== null && (!isLogarithmic || value > 0),
  )
  const high = Math.max(...known, isLogarithmic ? 1e-3 : TICKS)
  const low = Math.min(...known, high)
  const x = scaleLinear()
    .domain([0, Math.max(seconds, at.at(-1) ?? 0)])
    .range([MARGIN.left, right])
  const y = isLogarithmic
    ? scaleLog()
        .domain([low * 0.7, high * 1.4])
        .range([bottom, MARGIN.top])
    : scaleLinear()
        .domain([0, high * 1.1])
        .range([bottom, MARGIN.top])
  const ticks = isLogarithmic ? logTicks(low * 0.7, high * 1.4) : y.ticks(TICKS)
  const path = ({ values }: Series) =>
    line<number>()
      .defined((index) => values[index] !== null && (!isLogarithmic || (values[index] ?? 0) > 0))
      .x((index) => x(at[index] ?? 0))
      .y((index) => y(values[index] ?? low))([...at.keys()]) ?? ''
  const ends = spread(
    series.flatMap(({ name, values }) => {
      const last = values.at(-1) ?? null
      return last === null || (isLogarithmic && last <= 0) ? [] : [{ text: `${name} ${format(last)}`, place: y(last) }]
    }),
  )
  return (
    <div ref={frame} className={styles['frame']}>
      <svg width={width} height={HEIGHT} role="img" aria-label={label}>
        {ticks.map((tick) => (
          <g key={tick}>
            <line className={latency['grid']} x1={MARGIN.left} x2={right} y1={y(tick)} y2={y(tick)} />
            <text className={latency['tick']} x={MARGIN.left - 8} y={y(tick) + 4} textAnchor="end">
              {format(tick)}
            </text>
          </g>
        ))}
        {x.ticks(Math.max(2, Math.floor((right - MARGIN.left) / 90))).map((tick) => (
          <text key={tick} className={latency['tick']} x={x(tick)} y={HEIGHT - 6} textAnchor="middle">
            {tick} s
          </text>
        ))}
        {levels.map(({ name, value, look }) => (
          <line
            key={name}
            className={styles['level']}
            data-look={look}
            x1={MARGIN.left}
            x2={right}
            y1={y(value)}
            y2={y(value)}
          />
        ))}
        {series.map((lineOf) => (
          <path key={lineOf.name} className={styles['line']} data-look={lineOf.look} d={path(lineOf)} />
        ))}
        {spread(levels.map(({ name, value }) => ({ text: `${name} ${format(value)}`, place: y(value) - 4 }))).map(
          ({ text, place }) => (
            <text key={text} className={styles['name']} x={MARGIN.left + 6} y={place}>
              {text}
            </text>
          ),
        )}
        {ends.map(({ text, place }) => (
          <text key={text} className={styles['name']} x={right + 8} y={place + 4}>
            {text}
          </text>
        ))}
      </svg>
    </div>
  )
}

/** Moves names up until none is on another, or on the axis; the lowest stays. */
function spread(names: readonly { text: string; place: number }[]): { text: string; place: number }[] {
  const placed: { text: string; place: number }[] = []
  for (const { text, place } of names.toSorted((one, other) => other.place - one.place)) {
    const below = placed.at(-1)
    placed.push({ text, place: below ? Math.min(place, below.place - LETTERS_APART) : place })
  }
  return placed
}
