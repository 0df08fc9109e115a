import { formatMs } from '../units'
import styles from './latency.module.css'
import { useSize } from './useSize'

interface HistogramChartProps {
  bins: readonly { ms_low: number; ms_high: number; count: number }[]
  label: string
}

const HEIGHT = 110

/** How often each latency was seen: one bar for each bin, all drawn equally wide whatever the bins' latencies. */
export function HistogramChart({ bins, label }: HistogramChartProps) {
  const [frame, { width }] = useSize<HTMLDivElement>()
  const most = Math.max(1, ...bins.map((bin) => bin.count))
  const step = bins.length > 0 ? Math.min(28, (width - 24) / bins.length) : 0
  const first = bins[0]
  const last = bins.at(-1)
  return (
    <div ref={frame} className={styles['series']}>
      <svg width={width} height={HEIGHT} role="img" aria-label={label}>
        {bins.map((bin, index) => {
          const height = (bin.count / most) * (HEIGHT - 34)
          return (
            <rect
              key={bin.ms_low}
              className={styles['bar']}
              x={12 + index * step}
              y={HEIGHT - 22 - height}
              width={Math.max(1, step - 1)}
              height={height}
            >
              <title>{`${formatMs(bin.ms_low)} to ${formatMs(bin.ms_high)}: ${bin.count}`}</title>
            </rect>
          )
        })}
        <line className={styles['base']} x1={12} x2={Math.max(12, width - 12)} y1={HEIGHT - 22} y2={HEIGHT - 22} />
        {first && last ? (
          <>
            <text className={styles['tick']} x={12} y={HEIGHT - 7}>
              {formatMs(first.ms_low)}
            </text>
            <text className={styles['tick']} x={Math.max(100, 12 + step * bins.length)} y={HEIGHT - 7} textAnchor="end">
              {formatMs(last.ms_high)}
            </text>
          </>
        ) : null}
      </svg>
    </div>
  )
}
