import { formatCount, formatMs, formatTick } from '../units'
import styles from './latency.module.css'
import { useSize } from './useSize'

interface HistogramChartProps {
  bins: readonly { ms_low: number; ms_high: number; count: number }[]
  label: string
}

const HEIGHT = 122
const MARGIN = { top: 8, right: 14, bottom: 22, left: 46 }
/** The least distance of two latencies that are written below the bars, in pixels. */
const TICK_SPACING = 58
/** What of the height the lines across are at. */
const LINES = [0.5, 1]

/**
 * How often each latency was seen: one bar a bin, all equally wide whatever the bins' latencies. The edges of the bins are
 * written below as far as there is room, counts at the left.
 */
export function HistogramChart({ bins, label }: HistogramChartProps) {
  const [frame, { width }] = useSize<HTMLDivElement>()
  const most = roundUp(Math.max(1, ...bins.map((bin) => bin.count)))
  const plotWidth = Math.max(0, width - MARGIN.left - MARGIN.right)
  const plotHeight = HEIGHT - MARGIN.top - MARGIN.bottom
  const step = bins.length > 0 ? Math.min(28, plotWidth / bins.length) : 0
  const bottom = HEIGHT - MARGIN.bottom
  const every = Math.max(1, Math.ceil(TICK_SPACING / Math.max(step, 1)))
  const edges = [...bins.map((bin) => bin.ms_low), ...bins.slice(-1).map((bin) => bin.ms_high)]
  return (
    <div ref={frame} className={styles['series']}>
      <svg width={width} height={HEIGHT} role="img" aria-label={label}>
        {LINES.map((share) => (
          <g key={share}>
            <line
              className={styles['grid']}
              x1={MARGIN.left}
              x2={MARGIN.left + plotWidth}
              y1={bottom - share * plotHeight}
              y2={bottom - share * plotHeight}
            />
            <text className={styles['tick']} x={MARGIN.left - 6} y={bottom - share * plotHeight + 4} textAnchor="end">
              {formatCount(most * share)}
            </text>
          </g>
        ))}
        {bins.map((bin, index) => {
          const height = (bin.count / most) * plotHeight
          return (
            <rect
              key={bin.ms_low}
              className={styles['bar']}
              x={MARGIN.left + index * step}
              y={bottom - height}
              width={Math.max(1, step - 1)}
              height={height}
            >
              <title>{`${formatMs(bin.ms_low)} to ${formatMs(bin.ms_high)}: ${bin.count}`}</title>
            </rect>
          )
        })}
        <line className={styles['base']} x1={MARGIN.left} x2={MARGIN.left + plotWidth} y1={bottom} y2={bottom} />
        {edges.map((edge, index) =>
          index % every === 0 ? (
            <g key={edge}>
              <line
                className={styles['base']}
                x1={MARGIN.left + index * step}
                x2={MARGIN.left + index * step}
                y1={bottom}
                y2={bottom + 4}
              />
              <text className={styles['tick']} x={MARGIN.left + index * step} y={HEIGHT - 5} textAnchor="middle">
                {formatTick(edge)}
              </text>
            </g>
          ) : null,
        )}
      </svg>
    </div>
  )
}

/** The least number of 1, 2, 4 or 6 and zeros that is not smaller, and at least 2: 37 → 40. Its half is whole. */
function roundUp(count: number): number {
  const decade = 10 ** Math.floor(Math.log10(count))
  const factor = [1, 2, 4, 6, 10].find((candidate) => candidate * decade >= count) ?? 10
  return Math.max(2, factor * decade)
}
