import { PencilLine } from 'lucide-react'
import type { Axis, Heatmap } from '../../api/types'
import type { CellIndex } from '../../logic/heatmap'
import { Badge } from '../../ui/Badge'
import { Button } from '../../ui/Button'
import { formatMs } from '../../units'
import styles from './heatmap.module.css'
import { writeLimits } from './write-limits'

interface CellDetailProps {
  answer: Heatmap
  x: Axis
  y: Axis
  cell: CellIndex
  isChosen: boolean
  describe: (cell: CellIndex) => string
}

/** The chosen cell in words and numbers, and the way of its limits into the text. */
export function CellDetail({ answer, x, y, cell, isChosen, describe }: CellDetailProps) {
  const xValue = answer.x.values[cell.column] ?? answer.x.current
  const yValue = answer.y.values[cell.row] ?? answer.y.current
  const p99 = answer.p99_ms[cell.row]?.[cell.column]
  const isKept = answer.meets_slo[cell.row]?.[cell.column]
  const isRefused = answer.state[cell.row]?.[cell.column] === 'refused'
  const changes = [
    { axis: x, value: xValue },
    { axis: y, value: yValue },
  ].filter((change, index, all) => change.value !== change.axis.current && change.axis.number_range !== null && all.findIndex((each) => each.axis.symbol === change.axis.symbol) === index)
  const write = (chosen: typeof changes) =>
    void writeLimits(chosen.map(({ axis, value }) => ({ query: answer.query, symbol: axis.symbol, label: axis.label, current: axis.current, value })))
  return (
    <section className={styles['detail']} aria-label={isChosen ? 'Chosen cell' : 'Cell'}>
      <p className={styles['detailNumbers']} title={describe(cell)}>
        <strong className={styles['p99']}>{formatMs(p99)}</strong>
        {isRefused ? (
          <Badge tone="warning">not predicted: too far beyond what was measured</Badge>
        ) : (
          <>
            <Badge tone={isKept ? 'accent' : 'danger'}>{isKept ? 'keeps the SLO' : 'breaks the SLO'}</Badge>
            <Badge>{answer.state[cell.row]?.[cell.column]}</Badge>
          </>
        )}
      </p>
      <p className={styles['detailText']}>
        {answer.x.label} <b>{xValue}</b> × {answer.y.label} <b>{yValue}</b>
        {answer.upper_factor && p99 ? <span title="The bound held for 9 of 10 points that the model had not seen."> · 9 of 10: ≤ {formatMs(p99 * answer.upper_factor)}</span> : null}
      </p>
      {isChosen ? (
        <div className={styles['detailActions']}>
          {changes.length === 0 ? <span className={styles['detailText']}>These are the limits in the text.</span> : null}
          {changes.length > 0 ? (
            <Button size="small" look="primary" icon={<PencilLine size={12} aria-hidden />} onClick={() => write(changes)}>
              {changes.length === 1 ? `Write ${changes[0]?.value} into the text` : 'Write both limits into the text'}
            </Button>
          ) : null}
          {changes.length > 1
            ? changes.map((change) => (
                <Button key={change.axis.symbol} size="small" onClick={() => write([change])}>
                  Only {change.axis.label}: {change.value}
                </Button>
              ))
            : null}
        </div>
      ) : (
        <p className={styles['detailText']}>Choose a cell to write its limits into the text.</p>
      )}
    </section>
  )
}
