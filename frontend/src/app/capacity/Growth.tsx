import { useState } from 'react'
import type { Query, Table } from '../../api/types'
import { type Amount, type CapacityQuestion, withAmount } from '../../logic/capacity-question'
import { Button } from '../../ui/Button'
import { SelectField } from '../../ui/Field'
import { AmountField, NumberField } from './AmountField'
import styles from './capacity.module.css'

interface GrowthProps {
  question: CapacityQuestion
  tables: readonly Table[]
  queries: readonly Query[]
  isCluster: boolean
  onChange: (change: Partial<CapacityQuestion>) => void
}

/** What the answer depends on beside the rates: whose they are, data of a user, the cluster, prices, other plans. */
export function Growth({ question, tables, queries, isCluster, onChange }: GrowthProps) {
  return (
    <div className={styles['growth']}>
      <fieldset>
        <legend>Rows of one user</legend>
        {tables.map(({ name }) => (
          <AmountField
            key={name}
            label={name}
            amount={question.rows[name]}
            placeholder="not counted"
            onChange={(amount) => onChange({ rows: withAmount(question.rows, name, amount) })}
          />
        ))}
        <NumberField
          label="Copies of each row"
          value={question.copies}
          onChange={(copies) => onChange({ copies: Math.max(1, Math.round(copies ?? 1)) })}
        />
        <NumberField
          label="Data that one node holds"
          suffix="GB"
          value={question.gigabytes}
          onChange={(gigabytes) => onChange({ gigabytes })}
        />
      </fieldset>
      <fieldset>
        <legend>{isCluster ? 'The cluster that was profiled' : 'Price'}</legend>
        {isCluster ? (
          <>
            <NumberField
              label="Nodes"
              value={question.nodes}
              onChange={(nodes) => onChange({ nodes: nodes && Math.max(1, Math.round(nodes)) })}
            />
            <NumberField
              label="Cores of a node"
              value={question.cores}
              onChange={(cores) => onChange({ cores: cores && Math.max(1, Math.round(cores)) })}
            />
            <AmountField
              label="Part of a request’s time that keeps a core busy"
              placeholder="0.2, 0.5, 1"
              amount={question.busy}
              onChange={(busy) => onChange({ busy })}
            />
          </>
        ) : null}
        <NumberField
          label="Price of a node a month"
          suffix="$"
          value={question.price}
          onChange={(price) => onChange({ price })}
        />
      </fieldset>
      <Unbounded unbounded={question.unbounded} queries={queries} onChange={(unbounded) => onChange({ unbounded })} />
    </div>
  )
}

interface UnboundedProps {
  unbounded: Readonly<Record<string, Amount>>
  queries: readonly Query[]
  onChange: (unbounded: Record<string, Amount>) => void
}

/** Queries whose plan without a bound is shown beside: how many rows it scans for each user that there is. */
function Unbounded({ unbounded, queries, onChange }: UnboundedProps) {
  const [chosen, setChosen] = useState('')
  const others = queries.filter(({ name }) => !(name in unbounded))
  return (
    <fieldset>
      <legend>Beside it, a plan without a bound</legend>
      {Object.entries(unbounded).map(([name, amount]) => (
        <div key={name} className={styles['scan']}>
          <AmountField
            label={`Rows that ${name} scans for each user`}
            amount={amount}
            onChange={(given) => {
              if (given) onChange(withAmount(unbounded, name, given))
            }}
          />
          <Button size="small" onClick={() => onChange(withAmount(unbounded, name, null))}>
            Take {name} out
          </Button>
        </div>
      ))}
      <div className={styles['scan']}>
        <SelectField label="Query" value={chosen} onChange={({ target }) => setChosen(target.value)}>
          <option value="">Choose a query</option>
          {others.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </SelectField>
        <Button
          size="small"
          disabled={chosen === ''}
          onClick={() => {
            onChange(withAmount(unbounded, chosen, { low: 0.01, mid: 0.01, high: 0.01 }))
            setChosen('')
          }}
        >
          Show its plan without a bound
        </Button>
      </div>
    </fieldset>
  )
}
