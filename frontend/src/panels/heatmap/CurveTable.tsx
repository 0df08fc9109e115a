import type { Heatmap } from '../../api/types'
import type { CurvePoint } from '../../logic/curve'
import { aboutMs } from '../../logic/estimate'
import { cellText } from '../../logic/heatmap'
import { Cell, numeric, Table } from '../../ui/Table'
import { formatMs } from '../../units'
import styles from './heatmap.module.css'

/** The points of a curve as a table; a button in each row chooses its point. */
export function CurveTable({ answer, onChoose }: { answer: Heatmap; onChoose: (column: number) => void }) {
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
      {curvePoints(answer).map(({ value, latencyMs, upperMs, state, isKept }, column) => (
        <tr key={value}>
          <th scope="row">{value}</th>
          <Cell isNumeric>{aboutMs(answer.typical_p99_ms[0]?.[column])}</Cell>
          <Cell isNumeric>
            <button
              type="button"
              className={styles['tableCell']}
              data-kept={state === 'refused' ? undefined : isKept}
              aria-label={`${answer.x.label} ${value}: ${cellText(formatMs(latencyMs), state, isKept)}`}
              onClick={() => onChoose(column)}
            >
              {aboutMs(latencyMs)}
            </button>
          </Cell>
          {upper === null ? null : <Cell isNumeric>{upperMs === null ? '–' : formatMs(upperMs)}</Cell>}
          <Cell>{state === 'refused' ? 'too far to predict' : state}</Cell>
          <Cell>{state === 'refused' ? '–' : isKept ? 'kept' : '✕ broken'}</Cell>
        </tr>
      ))}
    </Table>
  )
}

/** The points of a curve, which is an answer with a single row. */
export function curvePoints({ x, p99_ms, state, meets_slo, upper_factor }: Heatmap): CurvePoint[] {
  return x.values.map((value, column) => {
    const latencyMs = p99_ms[0]?.[column] ?? null
    return {
      value,
      latencyMs,
      upperMs: latencyMs === null || upper_factor === null ? null : latencyMs * upper_factor,
      state: state[0]?.[column] ?? 'measured',
      isKept: meets_slo[0]?.[column] ?? false,
    }
  })
}
