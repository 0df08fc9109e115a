import type { AtUsers, Capacity } from '../../api/types'
import { bindingText, formatDollars, formatLatency, formatShort, quantileName } from '../../logic/capacity-words'
import { Cell, numeric, Table } from '../../ui/Table'

/** The chart in numbers: a line for each power of ten. All are estimates, in the middle of what is uncertain. */
export function ByUsers({ capacity }: { capacity: Capacity }) {
  const decades = capacity.by_users.filter(({ users }) => Number.isInteger(Math.log10(users)))
  const hasData = decades.some(({ bytes_of_tables }) => Object.keys(bytes_of_tables).length > 0)
  const hasPrice = decades.some(({ dollars_a_month }) => dollars_a_month !== null)
  const columns = [
    numeric('Users'),
    numeric('Requests a second'),
    ...(hasData ? [numeric('Data')] : []),
    numeric('Nodes'),
    ...(hasPrice ? [numeric('A month')] : []),
    'Limited by',
    ...capacity.queries.map((query) => numeric(`${quantileName(query)} ${query.query}`)),
    ...capacity.unbounded.map(({ query }) => numeric(`${query} without a bound`)),
  ]
  return (
    <Table label="As users come" columns={columns}>
      {decades.map((at) => (
        <tr key={at.users}>
          <Cell isNumeric>{formatShort(at.users)}</Cell>
          <Cell isNumeric>≈ {formatShort(at.requests_per_second)}</Cell>
          {hasData ? <Cell isNumeric>≈ {formatShort(dataOf(at))}B</Cell> : null}
          <Cell isNumeric>{nodes(capacity, at)}</Cell>
          {hasPrice ? (
            <Cell isNumeric>{at.dollars_a_month ? `≈ ${formatDollars(at.dollars_a_month.mid)}` : '–'}</Cell>
          ) : null}
          <Cell>{bindingText(at.binding)}</Cell>
          {capacity.queries.map(({ query }, index) => (
            <Cell key={query} isNumeric>
              ≈ {formatLatency(at.latency_ms[index]?.mid ?? null)}
            </Cell>
          ))}
          {capacity.unbounded.map(({ query }, index) => (
            <Cell key={query} isNumeric>
              ≈ {formatLatency(at.unbounded_ms[index] ?? null)}
            </Cell>
          ))}
        </tr>
      ))}
    </Table>
  )
}

function nodes(capacity: Capacity, at: AtUsers): string {
  if (capacity.is_one_node) return at.users <= (capacity.users_taken?.mid ?? Infinity) ? '1' : 'full'
  return at.nodes ? `≈ ${formatShort(at.nodes.mid)}` : 'none'
}

function dataOf({ bytes_of_tables }: AtUsers): number {
  return Object.values(bytes_of_tables).reduce((sum, { mid }) => sum + (mid ?? 0), 0)
}
