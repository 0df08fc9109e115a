import { ArrowRight } from 'lucide-react'
import type { Preview } from '../../api/types'
import { aboutMs } from '../../logic/estimate'
import { Badge, type Tone } from '../../ui/Badge'
import { Cell, numeric, Table, unseen } from '../../ui/Table'
import { formatCount } from '../../units'
import styles from './deploy.module.css'

type ChangesOfPreview = Pick<
  Preview,
  'tables' | 'added' | 'changed' | 'removed' | 'indexes_added' | 'indexes_removed' | 'bounds_changed'
>
/** The predicted p99 of each query, in milliseconds. */
type P99 = ReadonlyMap<string, number | null>

interface ChangesProps {
  preview: ChangesOfPreview
  p99Before: P99
  p99After: P99
}

/** What a deployment or a roll-back changes: tables, queries, indexes, bounds and predictions. */
export function Changes({ preview, p99Before, p99After }: ChangesProps) {
  const hasP99 = preview.bounds_changed.some(
    ({ query }) => typeof (p99Before.get(query) ?? p99After.get(query)) === 'number',
  )
  return (
    <>
      {preview.tables.length > 0 ? (
        <ul className={styles['changes']} aria-label="Tables that change">
          {preview.tables.map((change) => (
            <TableItem key={change.table} change={change} />
          ))}
        </ul>
      ) : null}
      <ul className={styles['changes']} aria-label="Changes">
        <Names tone="accent" sign="+" word="added" names={preview.added} />
        <Names tone="info" sign="~" word="changed" names={preview.changed} />
        <Names tone="danger" sign="−" word="removed" names={preview.removed} />
        <Names tone="accent" sign="+" word="new index" names={preview.indexes_added.map((index) => index.definition)} />
        <Names tone="danger" sign="−" word="index no longer needed" names={preview.indexes_removed} />
      </ul>
      {preview.bounds_changed.length > 0 ? (
        <Table
          label="Bounds that change"
          columns={[
            'Query',
            numeric('Live'),
            unseen('becomes'),
            numeric('Deployed'),
            ...(hasP99 ? [numeric('Predicted p99')] : []),
            'Formula',
          ]}
        >
          {preview.bounds_changed.map((change) => (
            <tr key={change.query}>
              <Cell>
                <code>{change.query}</code>
              </Cell>
              <Cell isNumeric>≤ {formatCount(change.before.operations)}</Cell>
              <Cell>
                <ArrowRight size={12} aria-label="becomes" />
              </Cell>
              <Cell isNumeric>
                <Badge tone={change.after.operations > change.before.operations ? 'warning' : 'accent'}>
                  ≤ {formatCount(change.after.operations)} ({signed(change.after.operations - change.before.operations)}
                  )
                </Badge>
              </Cell>
              {hasP99 ? (
                <Cell isNumeric>{p99Change(p99Before.get(change.query), p99After.get(change.query))}</Cell>
              ) : null}
              <Cell>
                <code>{change.after.formula}</code>
              </Cell>
            </tr>
          ))}
        </Table>
      ) : null}
    </>
  )
}

/** `back`: a table that an earlier version had, and that still has its rows. */
const TABLE_SIGNS = {
  added: { tone: 'accent', sign: '+', word: 'new table' },
  back: { tone: 'info', sign: '+', word: 'table' },
  changed: { tone: 'info', sign: '~', word: 'table' },
  removed: { tone: 'danger', sign: '−', word: 'table' },
} as const

function TableItem({ change }: { change: Preview['tables'][number] }) {
  const { tone, sign, word } = TABLE_SIGNS[change.change]
  return (
    <li className={styles['change']}>
      <Badge tone={tone}>
        {sign} {word}
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
              <li key={detail}>
                <code>{detail}</code>
              </li>
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

function signed(difference: number): string {
  return `${difference > 0 ? '+' : '−'}${formatCount(Math.abs(difference))}`
}
