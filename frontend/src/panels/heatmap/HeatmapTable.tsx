import type { Heatmap } from '../../api/types'
import { type CellIndex, cellText } from '../../logic/heatmap'
import { Cell, numeric, Table } from '../../ui/Table'
import { formatMs } from '../../units'
import styles from './heatmap.module.css'

interface HeatmapTableProps {
  answer: Heatmap
  y: NonNullable<Heatmap['y']>
  onChoose: (cell: CellIndex) => void
}

/** The cells of a heatmap as a table of numbers, with the smallest values first; a button in each cell chooses it. */
export function HeatmapTable({ answer, y, onChoose }: HeatmapTableProps) {
  const marks = { measured: '', interpolated: '≈ ', extrapolated: '? ', refused: '' }
  return (
    <>
      <p className={styles['across']} aria-hidden>
        {answer.x.label} →
      </p>
      <Table
        label={`Predicted latency: ${y.label} down, ${answer.x.label} across`}
        columns={[{ name: `${y.label} ↓`, isWrapped: true }, ...answer.x.values.map((value) => numeric(String(value)))]}
      >
        {y.values.map((yValue, row) => (
          <tr key={yValue}>
            <th scope="row">{yValue}</th>
            {answer.x.values.map((x, column) => {
              const isKept = answer.meets_slo[row]?.[column]
              const state = answer.state[row]?.[column] ?? 'measured'
              return (
                <Cell key={x} isNumeric>
                  <button
                    type="button"
                    className={styles['tableCell']}
                    data-kept={state === 'refused' ? undefined : isKept}
                    aria-label={`${answer.x.label} ${x}, ${y.label} ${yValue}: ${cellText(formatMs(answer.p99_ms[row]?.[column]), state, isKept)}`}
                    onClick={() => onChoose({ column, row })}
                  >
                    {marks[state]}
                    {formatMs(answer.p99_ms[row]?.[column])}
                    {isKept || state === 'refused' ? '' : ' ✕'}
                  </button>
                </Cell>
              )
            })}
          </tr>
        ))}
      </Table>
    </>
  )
}
