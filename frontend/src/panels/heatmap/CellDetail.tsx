import { PencilLine } from 'lucide-react'
import type { Axis, Edit, Heatmap } from '../../api/types'
import { reveal } from '../../app/editor-bridge'
import { notify } from '../../app/notices'
import { currentCompilation } from '../../documents/compile-loop'
import { applyTextEdits } from '../../documents/documents'
import type { CellIndex } from '../../logic/heatmap'
import { Badge } from '../../ui/Badge'
import { Button } from '../../ui/Button'
import { formatMs } from '../../units'
import styles from './heatmap.module.css'

interface CellDetailProps {
  answer: Heatmap
  x: Axis
  y: Axis
  cell: CellIndex
  isChosen: boolean
  describe: (cell: CellIndex) => string
}

interface Change {
  axis: Axis
  value: number
}

/** The chosen cell in words and numbers, and the way of its limits into the text. */
export function CellDetail({ answer, x, y, cell, isChosen, describe }: CellDetailProps) {
  const xValue = answer.x.values[cell.column] ?? answer.x.current
  const yValue = answer.y.values[cell.row] ?? answer.y.current
  const p99 = answer.p99_ms[cell.row]?.[cell.column]
  const isKept = answer.meets_slo[cell.row]?.[cell.column]
  const changes = [
    { axis: x, value: xValue },
    { axis: y, value: yValue },
  ].filter((change, index, all) => change.value !== change.axis.current && change.axis.number_range !== null && all.findIndex((each) => each.axis.symbol === change.axis.symbol) === index)
  return (
    <section className={styles['detail']} aria-label={isChosen ? 'Chosen cell' : 'Cell'}>
      <p className={styles['detailNumbers']} title={describe(cell)}>
        <strong className={styles['p99']}>{formatMs(p99)}</strong>
        <Badge tone={isKept ? 'accent' : 'danger'}>{isKept ? 'keeps the SLO' : 'breaks the SLO'}</Badge>
        <Badge>{answer.state[cell.row]?.[cell.column]}</Badge>
      </p>
      <p className={styles['detailText']}>
        {answer.x.label} <b>{xValue}</b> × {answer.y.label} <b>{yValue}</b>
      </p>
      {isChosen ? (
        <div className={styles['detailActions']}>
          {changes.length === 0 ? <span className={styles['detailText']}>These are the limits in the text.</span> : null}
          {changes.length > 0 ? (
            <Button size="small" look="primary" icon={<PencilLine size={12} aria-hidden />} onClick={() => void write(answer.query, changes)}>
              {changes.length === 1 ? `Write ${changes[0]?.value} into the text` : 'Write both limits into the text'}
            </Button>
          ) : null}
          {changes.length > 1
            ? changes.map((change) => (
                <Button key={change.axis.symbol} size="small" onClick={() => void write(answer.query, [change])}>
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

/** Edits the numbers where they stand in the text as it is now; the editor can undo it. */
async function write(queryName: string, changes: readonly Change[]): Promise<void> {
  const compilation = await currentCompilation()
  const axes = compilation?.queries.find((query) => query.name === queryName)?.axes ?? []
  const edits = changes.flatMap(({ axis, value }): Edit[] => {
    const range = axes.find((each) => each.symbol === axis.symbol)?.number_range
    return range ? [{ range, text: String(value) }] : []
  })
  const first = edits[0]
  if (!first) {
    notify({ tone: 'danger', text: 'The text has changed and the limit is no longer there.' })
    return
  }
  applyTextEdits(edits)
  reveal({ ...first.range, end_column: first.range.start_column + first.text.length })
  notify({ tone: 'success', text: changes.map(({ axis, value }) => `${axis.label} is now ${value}, it was ${axis.current}.`).join(' ') })
}
