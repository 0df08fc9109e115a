import { useQuery } from '@tanstack/react-query'
import { ArrowRight } from 'lucide-react'
import { deployment, deployments } from '../../api/queries'
import type { Preview, RollbackPreview } from '../../api/types'
import { usePredictions } from '../../app/predictions'
import { useView } from '../../app/url-state'
import { useDocuments } from '../../documents/documents'
import { aboutMs } from '../../logic/estimate'
import { diffLines, hunks } from '../../logic/line-diff'
import { Badge, type Tone } from '../../ui/Badge'
import { Cell, numeric, Table, unseen } from '../../ui/Table'
import { formatCount } from '../../units'
import styles from './deploy.module.css'

export function isUnchanged(preview: Preview | RollbackPreview): boolean {
  const { tables, added, changed, removed, indexes_added, indexes_removed, bounds_changed } = preview
  return [tables, added, changed, removed, indexes_added, indexes_removed, bounds_changed].every((list) => list.length === 0)
}

/** Tables, queries, indexes, bounds and predictions that change, and the text behind it. */
export function Changes({ preview }: { preview: Preview }) {
  return (
    <>
      <ChangeLists preview={preview} />
      <TextDiff />
    </>
  )
}

/** Tables, queries, indexes, bounds and predictions that change. */
export function ChangeLists({ preview }: { preview: Preview | RollbackPreview }) {
  const { data: versions } = useQuery(deployments)
  const after = usePredictions()
  const before = new Map(versions?.find((version) => version.is_live)?.queries.map((query) => [query.name, query.predicted_p99_ms]))
  const hasP99 = preview.bounds_changed.some(({ query }) => typeof before.get(query) === 'number' || after.has(query))
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
        <Table label="Bounds that change" columns={['Query', numeric('Live'), unseen('becomes'), numeric('Deployed'), ...(hasP99 ? [numeric('Predicted p99')] : []), 'Formula']}>
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
                  ≤ {formatCount(change.after.operations)} ({signed(change.after.operations - change.before.operations)})
                </Badge>
              </Cell>
              {hasP99 ? <Cell isNumeric>{p99Change(before.get(change.query), after.get(change.query)?.typical_p99_ms)}</Cell> : null}
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

const TABLE_SIGNS = {
  added: { tone: 'accent', sign: '+', word: 'new table' },
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

/** The files as they are live beside the files as they are typed. */
function TextDiff() {
  const { workspace } = useView()
  const { data: versions } = useQuery(deployments)
  const live = versions?.find((version) => version.is_live)
  const { data: detail } = useQuery({ ...deployment(live?.id ?? ''), enabled: live !== undefined, staleTime: Infinity })
  const files = useDocuments((state) => state.files)
  if (!detail) return null
  const before = new Map(detail.files.map((file) => [file.path, file.text]))
  const after = new Map(files.map((file) => [file.path, file.text]))
  const isOfAnother = live?.workspace_id !== workspace // then its files are not what these have become
  const paths = [...new Set([...(isOfAnother ? [] : before.keys()), ...after.keys()])].filter((path) => before.get(path) !== after.get(path))
  return paths.map((path) => (
    <figure key={path} className={styles['diff']}>
      <figcaption>{path}</figcaption>
      <pre>
        {hunks(diffLines(before.get(path) ?? '', after.get(path) ?? '')).map((line, index) =>
          line === null ? (
            <span key={`gap-${index}`} className={styles['gap']}>
              {'⋯\n'}
            </span>
          ) : (
            <span key={`${index}:${line.text}`} data-kind={line.kind}>
              {`${{ same: ' ', added: '+', removed: '−' }[line.kind]} ${line.text}\n`}
            </span>
          ),
        )}
      </pre>
    </figure>
  ))
}

/** What was predicted for the live version, and what is predicted for this one. */
function p99Change(before: number | null | undefined, after: number | undefined): string {
  if (after === undefined) return aboutMs(before)
  return typeof before === 'number' ? `${aboutMs(before)} → ${aboutMs(after)}` : aboutMs(after)
}

function signed(difference: number): string {
  return `${difference > 0 ? '+' : '−'}${formatCount(Math.abs(difference))}`
}
