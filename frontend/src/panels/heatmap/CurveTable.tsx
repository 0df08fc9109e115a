import type { Curve } from '../../api/types'
import { aboutMs } from '../../logic/estimate'
import { cellText } from '../../logic/heatmap'
import { Cell, numeric, Table } from '../../ui/Table'
import { formatMs } from '../../units'
import styles from './heatmap.module.css'

/** The same points as numbers. */
export function CurveTable({ answer, onChoose }: { answer: Curve; onChoose: (index: number) => void }) {
  const upper = answer.upper_factor
  return (
    <Table
      label={`Predicted latency over ${answer.x.label}`}
      columns={[
        answer.x.label,
        numeric('Estimate'),
        numeric('Worst interval'),
        ...(upper === null ? [] : [numeric('9 of 10 below')]),
        'Known by',
        'SLO',
      ]}
    >
      {answer.x.values.map((value, index) => {
        const p99 = answer.p99_ms[index] ?? null
        const state = answer.state[index] ?? 'measured'
        const isKept = answer.meets_slo[index]
        return (
          <tr key={value}>
            <th scope="row">{value}</th>
            <Cell isNumeric>{aboutMs(answer.typical_p99_ms[index])}</Cell>
            <Cell isNumeric>
              <button
                type="button"
                className={styles['tableCell']}
                data-kept={state === 'refused' ? undefined : isKept}
                aria-label={`${answer.x.label} ${value}: ${cellText(formatMs(p99), state, isKept)}`}
                onClick={() => onChoose(index)}
              >
                {aboutMs(p99)}
              </button>
            </Cell>
            {upper === null ? null : <Cell isNumeric>{p99 === null ? '–' : formatMs(p99 * upper)}</Cell>}
            <Cell>{state === 'refused' ? 'too far to predict' : state}</Cell>
            <Cell>{state === 'refused' ? '–' : isKept ? 'kept' : '✕ broken'}</Cell>
          </tr>
        )
      })}
    </Table>
  )
}
