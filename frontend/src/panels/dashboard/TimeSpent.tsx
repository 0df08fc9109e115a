import type { CSSProperties } from 'react'
import type { OperatorTimes } from '../../api/types'
import { blameText, nameOf, shareOf } from '../../logic/time-spent'
import { Cell, numeric, Table } from '../../ui/Table'
import { formatCount, formatMs, formatPercent } from '../../units'
import styles from './dashboard.module.css'

interface TimeSpentProps {
  query: string
  times: OperatorTimes
  /** Queries of one request are not sampled. */
  hasOperators: boolean
}

/** Which operators the slowest executions of a query spend their time in, beside typical ones and the prediction. */
export function TimeSpent({ query, times, hasOperators }: TimeSpentProps) {
  const blame = times.blame.find((candidate) => candidate.query === query)
  if (!hasOperators) return null
  if (!blame)
    return (
      <p className={styles['soft']}>
        Where its time goes is known after {formatCount(times.samples_needed)} sampled executions.
      </p>
    )
  return (
    <figure className={styles['figure']}>
      <figcaption>Where the time of the slowest executions goes</figcaption>
      <p className={styles['blame']}>{blameText(blame)}</p>
      <Table
        label={`Time of ${query} by operator`}
        columns={[
          'Operator',
          numeric('Slowest'),
          numeric('Share'),
          numeric('Typical'),
          numeric('Requests'),
          numeric('Predicted'),
        ]}
      >
        {blame.spent.map((part) => (
          <tr key={`${part.path} ${part.operator}`}>
            <th scope="row">{nameOf(part)}</th>
            <Cell isNumeric>{formatMs(part.slow_ms)}</Cell>
            <Cell isNumeric>
              <span className={styles['share']} style={{ '--share': shareOf(part, blame.spent) } as CSSProperties}>
                {formatPercent(shareOf(part, blame.spent), 0)}
              </span>
            </Cell>
            <Cell isNumeric>{formatMs(part.typical_ms)}</Cell>
            <Cell isNumeric>{part.operator ? formatCount(Math.round(part.slow_requests * 10) / 10) : '–'}</Cell>
            <Cell isNumeric>{formatMs(part.predicted_ms)}</Cell>
          </tr>
        ))}
      </Table>
    </figure>
  )
}
