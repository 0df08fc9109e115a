import type { OperatorTimes, QueryLatency } from '../../api/types'
import {
  type CalibrationLine,
  type CalibrationVerdict,
  calibrationVerdict,
  lineOfQueries,
  outcomesText,
  ratioText,
} from '../../logic/calibration'
import { Badge, type Tone } from '../../ui/Badge'
import { Cell, numeric, Table, unseen } from '../../ui/Table'
import { formatCount, formatMs } from '../../units'
import styles from './dashboard.module.css'
import { WORDS } from './verdicts'

const TONES: Readonly<Record<CalibrationVerdict, Tone>> = {
  'too low': 'warning',
  'too high': 'info',
  both: 'warning',
  fits: 'accent',
  'not known': 'plain',
}
const VERDICTS: Readonly<Record<CalibrationVerdict, string>> = {
  'too low': 'predicted too low',
  'too high': 'predicted too high',
  both: 'too low and too high',
  fits: 'as predicted',
  'not known': 'not known yet',
}
const MOST_CELLS = 12

/** Predicted beside observed over all queries and sizes: of whole queries, and of each kind of operator. */
export function Calibration({ queries, times }: { queries: readonly QueryLatency[]; times: OperatorTimes }) {
  const whole = lineOfQueries(queries)
  const apart = times.cells.filter(({ outcome }) => outcome === 'slower' || outcome === 'faster').slice(0, MOST_CELLS)
  if (!whole && times.kinds.length === 0) return null
  return (
    <section className={styles['calibration']} aria-label="How well latencies are predicted">
      <h3 className={styles['detailName']}>How well latencies are predicted</h3>
      <p className={styles['soft']}>
        Observed by predicted p99, each for the sizes that ran, over all queries of this version. Operators are timed in
        samples.
      </p>
      <Table
        label="Predictions by kind of operator"
        columns={[
          'Predicted',
          numeric('Requests'),
          unseen('Verdict'),
          'Verdicts',
          numeric('Median'),
          numeric('From'),
          numeric('To'),
          numeric('Counted'),
        ]}
      >
        {whole ? <Line name="whole queries" requests="" line={whole} /> : null}
        {times.kinds.map((kind) => (
          <Line
            key={`${kind.operator} ${kind.least_requests}`}
            name={kind.operator}
            requests={rangeText(kind.least_requests, kind.most_requests)}
            line={kind}
          />
        ))}
      </Table>
      {apart.length > 0 ? (
        <figure className={styles['figure']}>
          <figcaption>Operators that are farthest from their prediction</figcaption>
          <Table
            label="Operators that are farthest from their prediction"
            columns={[
              'Query',
              'Operator',
              unseen('Verdict'),
              numeric('Requests'),
              numeric('p99'),
              numeric('Predicted'),
              numeric('Worst interval'),
              numeric('Ratio'),
              numeric('Samples'),
            ]}
          >
            {apart.map((cell) => (
              <tr key={`${cell.query} ${cell.path} ${cell.operator} ${cell.requests}`}>
                <th scope="row">{cell.query}</th>
                <Cell>{cell.operator}</Cell>
                <Cell>
                  <Badge tone={cell.outcome === 'slower' ? 'warning' : 'info'}>{WORDS[cell.outcome]}</Badge>
                </Cell>
                <Cell isNumeric>{formatCount(Math.round(cell.requests))}</Cell>
                <Cell isNumeric>{formatMs(cell.observed_p99_ms)}</Cell>
                <Cell isNumeric>{formatMs(cell.predicted_p99_ms)}</Cell>
                <Cell isNumeric>{formatMs(cell.worst_p99_ms)}</Cell>
                <Cell isNumeric>{ratioText(cell.ratio)}</Cell>
                <Cell isNumeric>{formatCount(cell.samples)}</Cell>
              </tr>
            ))}
          </Table>
        </figure>
      ) : null}
    </section>
  )
}

function Line({ name, requests, line }: { name: string; requests: string; line: CalibrationLine }) {
  const verdict = calibrationVerdict(line.outcomes)
  return (
    <tr>
      <th scope="row">{name}</th>
      <Cell isNumeric>{requests}</Cell>
      <Cell>
        <Badge tone={TONES[verdict]}>{VERDICTS[verdict]}</Badge>
      </Cell>
      <Cell>{outcomesText(line.outcomes)}</Cell>
      <Cell isNumeric>{ratioText(line.ratio)}</Cell>
      <Cell isNumeric>{ratioText(line.least_ratio)}</Cell>
      <Cell isNumeric>{ratioText(line.most_ratio)}</Cell>
      <Cell isNumeric>{formatCount(line.samples)}</Cell>
    </tr>
  )
}

function rangeText(least: number, most: number): string {
  return least >= most ? formatCount(most) : `${formatCount(least)} to ${formatCount(most)}`
}
