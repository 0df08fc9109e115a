import type { DeployedQuery } from '../../api/types'
import { TextField } from '../../ui/Field'
import { Cell, numeric, Table } from '../../ui/Table'
import { formatCount } from '../../units'
import styles from './load-runs.module.css'

interface WeightsProps {
  queries: readonly DeployedQuery[]
  weights: Readonly<Record<string, string>>
  error: string | undefined
  onChange: (weights: Readonly<Record<string, string>>) => void
}

/** A weight for each query; one without a weight is not called. */
export function Weights({ queries, weights, error, onChange }: WeightsProps) {
  return (
    <div className={styles['weights']}>
      <Table label="Weights of the queries" columns={['Query', 'Kind', numeric('Requests at most'), 'Weight']}>
        {queries.map(({ name, kind, operations }) => (
          <tr key={name}>
            <Cell>{name}</Cell>
            <Cell>{kind === 'select' ? 'reads' : 'writes'}</Cell>
            <Cell isNumeric>{formatCount(operations)}</Cell>
            <Cell>
              <TextField
                label={`Weight of ${name}`}
                isLabelHidden
                placeholder="not called"
                inputMode="decimal"
                value={weights[name] ?? ''}
                onChange={(event) => onChange({ ...weights, [name]: event.target.value })}
              />
            </Cell>
          </tr>
        ))}
      </Table>
      {error ? <p className={styles['error']}>{error}</p> : null}
    </div>
  )
}
