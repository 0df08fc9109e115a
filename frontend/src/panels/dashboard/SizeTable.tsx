import { p99IntervalText, predictedText, rangeText, type SizeClass } from '../../logic/over-size-words'
import { Badge } from '../../ui/Badge'
import { Cell, numeric, Table } from '../../ui/Table'
import { formatCount, formatMs } from '../../units'
import styles from './dashboard.module.css'

interface SizeTableProps {
  query: string
  classes: readonly SizeClass[]
}

/** The executions of a query by class of sizes, the smallest first, each beside its prediction. */
export function SizeTable({ query, classes }: SizeTableProps) {
  return (
    <Table
      label={`Executions of ${query} by size`}
      columns={[numeric('Requests'), numeric('Rows'), numeric('Executions'), numeric('p99'), numeric('Predicted')]}
    >
      {classes.map((of) => (
        <tr key={`${of.requests} ${of.rows}`}>
          <Cell isNumeric>{rangeText(of.least_requests, of.requests)}</Cell>
          <Cell isNumeric>{rangeText(of.least_rows, of.rows)}</Cell>
          <Cell isNumeric>{formatCount(of.executions)}</Cell>
          <Cell isNumeric>
            {of.p99_ms === null ? <Badge>too few</Badge> : formatMs(of.p99_ms)}
            {p99IntervalText(of) ? <small className={styles['factDetail']}>{p99IntervalText(of)}</small> : null}
          </Cell>
          <Cell isNumeric>{predictedText(of)}</Cell>
        </tr>
      ))}
    </Table>
  )
}
