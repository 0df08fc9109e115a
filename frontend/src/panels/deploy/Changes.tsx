import { ArrowRight } from 'lucide-react'
import type { Preview, QueryPrice } from '../../api/types'
import { aboutMs } from '../../logic/estimate'
import { mostText } from '../../logic/price-words'
import { Badge, type Tone } from '../../ui/Badge'
import { Cell, numeric, Table, unseen } from '../../ui/Table'
import { formatCount } from '../../units'
import styles from './deploy.module.css'

type ChangedSet = Pick<
  Preview,
  'tables' | 'added' | 'changed' | 'removed' | 'indexes_added' | 'indexes_removed' | 'bounds_changed'
>
type ShortBound = Preview['bounds_changed'][number]['before']
/** The predicted p99 of each query, in milliseconds. */
type P99 = ReadonlyMap<string, number | null>

/** The price of each query. */
type PriceByQuery = ReadonlyMap<string, QueryPrice>

const UNKNOWN: P99 = new Map()
const UNPRICED: PriceByQuery = new Map()

interface ChangesProps {
  changes: ChangedSet
  /** What the two sides are called, such as Live and Deployed. */
  columns: readonly [string, string]
  p99Before?: P99
  p99After?: P99
  pricesBefore?: PriceByQuery
  pricesAfter?: PriceByQuery
}

/** What a deployment, a roll-back or a save changes: tables, queries, indexes, bounds and predictions. */
export function Changes({
  changes,
  columns,
  p99Before = UNKNOWN,
  p99After = UNKNOWN,
  pricesBefore = UNPRICED,
  pricesAfter = UNPRICED,
}: ChangesProps) {
  const hasP99 = changes.bounds_changed.some(
    ({ query }) => typeof (p99Before.get(query) ?? p99After.get(query)) === 'number',
  )
  const hasPrices = changes.bounds_changed.some(({ query }) => pricesBefore.has(query) || pricesAfter.has(query))
  return (
    <>
      {changes.tables.length > 0 ? (
        <ul className={styles['changes']} aria-label="Tables that change">
          {changes.tables.map((change) => (
            <TableItem key={change.table} change={change} />
          ))}
        </ul>
      ) : null}
      <ul className={styles['changes']} aria-label="Changes">
        <Names tone="accent" sign="+" word="added" names={changes.added} />
        <Names tone="info" sign="~" word="changed" names={changes.changed} />
        <Names tone="danger" sign="−" word="removed" names={changes.removed} />
        <Names tone="accent" sign="+" word="new index" names={changes.indexes_added.map((index) => index.definition)} />
        <Names tone="danger" sign="−" word="index no longer needed" names={changes.indexes_removed} />
      </ul>
      {changes.bounds_changed.length > 0 ? (
        <Table
          label="Bounds that change"
          columns={[
            'Query, and the formula of its bound',
            numeric(columns[0]),
            unseen('becomes'),
            numeric(columns[1]),
            ...(hasP99 ? [numeric('Predicted p99')] : []),
            ...(hasPrices ? [numeric('$ of 1,000 executions')] : []),
          ]}
        >
          {changes.bounds_changed.map((change) => (
            <tr key={change.query}>
              <Cell>
                <code>{change.query}</code>
                {hasSum(change.after) ? <code className={styles['formula']}>{change.after?.formula}</code> : null}
              </Cell>
              <Cell isNumeric>{boundText(change.before)}</Cell>
              <Cell>
                <ArrowRight size={12} aria-label="becomes" />
              </Cell>
              <Cell isNumeric>
                <Badge tone={isDearer(change) ? 'warning' : 'accent'}>
                  {boundText(change.after)}
                  {difference(change)}
                </Badge>
              </Cell>
              {hasP99 ? (
                <Cell isNumeric>{p99Change(p99Before.get(change.query), p99After.get(change.query))}</Cell>
              ) : null}
              {hasPrices ? (
                <Cell isNumeric>{priceChange(pricesBefore.get(change.query), pricesAfter.get(change.query))}</Cell>
              ) : null}
            </tr>
          ))}
        </Table>
      ) : null}
    </>
  )
}

/** `back`: a table or view that an earlier version had, and that still has its rows. */
const TABLE_SIGNS = {
  added: { tone: 'accent', sign: '+ new' },
  back: { tone: 'info', sign: '+' },
  changed: { tone: 'info', sign: '~' },
  removed: { tone: 'danger', sign: '−' },
} as const

/** Whether the details of a change are lines of a schema; those of other changes are sentences. */
function isDeclaration(change: Preview['tables'][number]['change']): boolean {
  return change === 'changed' || change === 'back'
}

function TableItem({ change }: { change: Preview['tables'][number] }) {
  const { tone, sign } = TABLE_SIGNS[change.change]
  return (
    <li className={styles['change']}>
      <Badge tone={tone}>
        {sign} {change.kind}
      </Badge>
      <div className={styles['tableChange']}>
        <code>{change.table}</code>
        {change.change === 'back' ? (
          <p>
            It exists already
            {change.details.length > 0 ? ', with its rows, and changes:' : ' and is kept as it is, with its rows.'}
          </p>
        ) : null}
        {change.details.length > 0 ? (
          <ul>
            {change.details.map((detail) => (
              <li key={detail}>{isDeclaration(change.change) ? <code>{detail}</code> : detail}</li>
            ))}
          </ul>
        ) : null}
        {change.refusal ? (
          <p className={styles['refusal']}>This cannot be deployed: {change.refusal}.</p>
        ) : change.checked.length > 0 ? (
          <p className={styles['checked']}>
            The rows there are will be checked first; one that breaks this stops the deployment.
          </p>
        ) : null}
      </div>
    </li>
  )
}

function Names({ tone, sign, word, names }: { tone: Tone; sign: string; word: string; names: readonly string[] }) {
  return names.map((name) => (
    <li key={`${word}:${name}`} className={styles['change']}>
      <Badge tone={tone}>
        {sign} {word}
      </Badge>
      <code>{name}</code>
    </li>
  ))
}

/** `≈ 48 ms → ≈ 61 ms`, or the only one of both that is known. */
function p99Change(before: number | null | undefined, after: number | null | undefined): string {
  if (typeof after !== 'number') return aboutMs(before)
  return typeof before === 'number' ? `${aboutMs(before)} → ${aboutMs(after)}` : aboutMs(after)
}

/** `≤ $0.025 → ≤ $0.05`, each as it is proven; one alone where the other side has none. */
function priceChange(before: QueryPrice | undefined, after: QueryPrice | undefined): string {
  return [before, after].flatMap((price) => mostText(price) || []).join(' → ')
}

/** Whether the formula of a bound says more than its number. */
function hasSum(bound: ShortBound): boolean {
  return bound !== null && bound.formula !== String(bound.operations)
}

function boundText(bound: ShortBound): string {
  return bound === null ? 'no bound' : `≤ ${formatCount(bound.operations)}`
}

/** A query that loses its bound can cost anything. */
function isDearer({ before, after }: { before: ShortBound; after: ShortBound }): boolean {
  return after === null || (before !== null && after.operations > before.operations)
}

function difference({ before, after }: { before: ShortBound; after: ShortBound }): string {
  if (before === null || after === null) return ''
  const more = after.operations - before.operations
  return more === 0 ? '' : ` (${more > 0 ? '+' : '−'}${formatCount(Math.abs(more))})`
}
