import { PencilLine, ZoomIn } from 'lucide-react'
import type { Axis } from '../../api/types'
import { setView, useView } from '../../app/url-state'
import { aboutMs } from '../../logic/estimate'
import type { CellIndex, Grid } from '../../logic/heatmap'
import { type RegionSummary, summaryOf } from '../../logic/heatmap-region'
import { Badge } from '../../ui/Badge'
import { Button } from '../../ui/Button'
import { formatCount, plural } from '../../units'
import type { Limit } from './CellDetail'
import styles from './heatmap.module.css'
import { writeLimits } from './write-limits'

interface RegionDetailProps {
  query: string
  grid: Grid
  corners: { first: CellIndex; last: CellIndex }
  x: Axis
  y: Axis
  further: readonly Limit[]
}

/** The chosen region in a sentence: its largest limits that keep the SLO can be written, and it can be looked at closer. */
export function RegionDetail({ query, grid, corners, x, y, further }: RegionDetailProps) {
  const { region } = useView()
  const { first, last } = corners
  const summary = summaryOf(grid, corners)
  const { largest } = summary
  const limits = largest
    ? [{ axis: x, value: grid.xs[largest.column] ?? 0 }, { axis: y, value: grid.ys[largest.row] ?? 0 }, ...further]
    : []
  const changes = limits.filter(({ axis, value }) => value !== axis.current && axis.number_ranges.length > 0)
  return (
    <section className={styles['detail']} aria-label="Chosen region">
      <p className={styles['detailNumbers']}>
        <strong className={styles['p99']}>
          {summary.range
            ? `${aboutMs(summary.range.low)} to ${aboutMs(summary.range.high).replace('≈ ', '')}`
            : 'not predicted'}
        </strong>
        <Verdict summary={summary} />
      </p>
      <p className={styles['detailText']}>
        {x.label} <b>{between(grid.xs[first.column], grid.xs[last.column])}</b> × {y.label}{' '}
        <b>{between(grid.ys[first.row], grid.ys[last.row])}</b>
      </p>
      <div className={styles['detailActions']}>
        {largest ? (
          <Button
            size="small"
            look="primary"
            isWrapped
            disabled={changes.length === 0}
            icon={<PencilLine size={12} aria-hidden />}
            onClick={() =>
              void writeLimits(
                changes.map(({ axis: { symbol, label, current }, value }) => ({
                  query,
                  symbol,
                  label,
                  current,
                  value,
                })),
              )
            }
          >
            {changes.length === 0
              ? 'The text has the largest limits that keep the SLO'
              : `Write the largest that keeps the SLO: ${grid.xs[largest.column]} × ${grid.ys[largest.row]}`}
          </Button>
        ) : null}
        <Button
          size="small"
          icon={<ZoomIn size={12} aria-hidden />}
          onClick={() => setView({ closer: region, region: undefined, cell: undefined })}
        >
          Look closer
        </Button>
        <Button size="small" look="quiet" onClick={() => setView({ region: undefined })}>
          Drop the region
        </Button>
      </div>
    </section>
  )
}

function Verdict({ summary: { cells, kept, unknown } }: { summary: RegionSummary }) {
  const broken = cells - kept - unknown
  return (
    <>
      <Badge tone={broken === 0 && kept > 0 ? 'accent' : kept === 0 ? 'danger' : 'warning'}>
        {`${formatCount(kept)} of ${plural(cells, 'cell')} keep the SLO`}
      </Badge>
      {unknown > 0 ? <Badge>{formatCount(unknown)} not predicted</Badge> : null}
    </>
  )
}

function between(low: number | undefined, high: number | undefined): string {
  return low === high ? String(low) : `${low} to ${high}`
}
