import type { AtUsers, Capacity, Query } from '../../api/types'
import { type Amount, movedTo, rounded, withAmount } from '../../logic/capacity-question'
import { estimate, formatLatency, formatShort, quantileName, verdictOf } from '../../logic/capacity-words'
import { Badge } from '../../ui/Badge'
import { Cell, numeric, Table } from '../../ui/Table'
import { formatMs, formatPercent } from '../../units'
import { AmountField } from './AmountField'
import styles from './capacity.module.css'

const SLOWEST = -2
const FASTEST = 5

interface RatesProps {
  queries: readonly Query[]
  rates: Readonly<Record<string, Amount>>
  capacity: Capacity | undefined
  /** What is told of the number of users that is looked at. */
  at: AtUsers | undefined
  onChange: (rates: Record<string, Amount>) => void
}

/** The queries with their rates, and what each takes of a node and promises at the number of users looked at. */
export function Rates({ queries, rates, capacity, at, onChange }: RatesProps) {
  const users = at ? `at ${formatShort(at.users)} users` : 'then'
  return (
    <Table
      label="Rates of the queries"
      columns={['Query', 'Executions a second', `Of a node ${users}`, `Latency ${users}`, numeric('SLO'), 'Kept']}
    >
      {queries.map(({ name }) => {
        const amount = rates[name]
        const index = capacity?.queries.findIndex((query) => query.query === name) ?? -1
        const query = amount ? capacity?.queries[index] : undefined
        const latency = amount ? at?.latency_ms[index] : undefined
        const share = amount ? at?.shares_of_node[index] : undefined
        const lacking = amount ? capacity?.left_out.find((left) => left.query === name) : undefined
        const verdict = query && latency ? verdictOf(latency, query.slo_ms) : null
        return (
          <tr key={name}>
            <th scope="row" className={styles['name']}>
              {name}
            </th>
            <Cell>
              <div className={styles['rate']}>
                <input
                  type="range"
                  aria-label={`Rate of ${name}`}
                  aria-valuetext={amount ? `${formatShort(amount.mid)} a second` : 'none'}
                  min={SLOWEST}
                  max={FASTEST}
                  step={0.05}
                  value={amount ? Math.log10(amount.mid) : SLOWEST}
                  onChange={({ target }) =>
                    onChange(withAmount(rates, name, movedTo(amount, rounded(10 ** Number(target.value)))))
                  }
                />
                <AmountField
                  label={`Executions of ${name} a second`}
                  isLabelHidden
                  placeholder="none"
                  amount={amount}
                  onChange={(given) => onChange(withAmount(rates, name, given))}
                />
              </div>
            </Cell>
            <Cell>{share === undefined ? null : <Share share={share} />}</Cell>
            <Cell>
              {query && latency ? `${quantileName(query)} ${estimate(latency, formatLatency)}` : null}
              {lacking ? <span className={styles['lacking']}>left out: {lacking.reason}</span> : null}
            </Cell>
            <Cell isNumeric>{query?.slo_ms ? formatMs(query.slo_ms) : ''}</Cell>
            <Cell>{verdict ? <Badge tone={verdict.tone}>{verdict.text}</Badge> : null}</Cell>
          </tr>
        )
      })}
    </Table>
  )
}

/** A share of a node as a bar; more than a whole one fills it. */
function Share({ share }: { share: number }) {
  return (
    <span className={styles['share']}>
      <span className={styles['bar']} data-full={share > 1} aria-hidden>
        <span style={{ width: `${Math.min(1, share) * 100}%` }} />
      </span>
      ≈ {share > 10 ? `${formatShort(share)} times` : formatPercent(share, share < 0.1 ? 2 : 0)}
    </span>
  )
}
