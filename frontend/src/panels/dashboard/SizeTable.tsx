import type { QueryLatency } from '../../api/types'
import { aboutMs } from '../../logic/estimate'
import { Cell, numeric, Table } from '../../ui/Table'
import { formatCount, formatMs } from '../../units'
import styles from './dashboard.module.css'

interface SizeTableProps {
  query: string
  /** The commonest sizes; where applications reported, classes from a least to a largest size. */
  sizes: QueryLatency['sizes']
}

/** The executions of a query by their size, each beside the prediction for its largest. */
export function SizeTable({ query, sizes }: SizeTableProps) {
  return (
    <figure className={styles['figure']}>
      <figcaption>By the size of what ran</figcaption>
      <Table
        label={`Executions of ${query} by size`}
        columns={[numeric('Requests'), numeric('Rows'), numeric('Executions'), numeric('p99'), numeric('Predicted')]}
      >
        {sizes.map((size) => (
          <tr key={`${size.least_requests} ${size.requests} ${size.least_rows} ${size.rows}`}>
            <Cell isNumeric>{range(size.least_requests, size.requests)}</Cell>
            <Cell isNumeric>{range(size.least_rows, size.rows)}</Cell>
            <Cell isNumeric>{formatCount(size.executions)}</Cell>
            <Cell isNumeric>{formatMs(size.p99_ms)}</Cell>
            <Cell isNumeric>{aboutMs(size.predicted?.typical_p99_ms)}</Cell>
          </tr>
        ))}
      </Table>
    </figure>
  )
}

function range(least: number, most: number): string {
  return least === most ? formatCount(most) : `${formatCount(least)} to ${formatCount(most)}`
}
