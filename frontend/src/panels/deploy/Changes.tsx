import { useQuery } from '@tanstack/react-query'
import { ArrowRight } from 'lucide-react'
import { deployment, deployments } from '../../api/queries'
import type { Preview } from '../../api/types'
import { useDocuments } from '../../documents/documents'
import { diffLines, hunks } from '../../logic/line-diff'
import { Badge, type Tone } from '../../ui/Badge'
import { Cell, numeric, Table, unseen } from '../../ui/Table'
import { formatCount } from '../../units'
import styles from './deploy.module.css'

export function isUnchanged(preview: Preview): boolean {
  return [preview.added, preview.changed, preview.removed, preview.indexes_added, preview.indexes_removed, preview.bounds_changed].every(
    (list) => list.length === 0,
  )
}

/** Queries, indexes and bounds that change, and the text behind it. */
export function Changes({ preview }: { preview: Preview }) {
  return (
    <>
      <ul className={styles['changes']} aria-label="Changes">
        <Names tone="accent" sign="+" word="added" names={preview.added} />
        <Names tone="info" sign="~" word="changed" names={preview.changed} />
        <Names tone="danger" sign="−" word="removed" names={preview.removed} />
        <Names tone="accent" sign="+" word="new index" names={preview.indexes_added.map((index) => index.definition)} />
        <Names tone="danger" sign="−" word="index no longer needed" names={preview.indexes_removed} />
      </ul>
      {preview.bounds_changed.length > 0 ? (
        <Table label="Bounds that change" columns={['Query', numeric('Live'), unseen('becomes'), numeric('Deployed'), 'Formula']}>
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
              <Cell>
                <code>{change.after.formula}</code>
              </Cell>
            </tr>
          ))}
        </Table>
      ) : null}
      <TextDiff />
    </>
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
  const { data: versions } = useQuery(deployments)
  const live = versions?.find((version) => version.is_live)
  const { data: detail } = useQuery({ ...deployment(live?.id ?? ''), enabled: live !== undefined, staleTime: Infinity })
  const files = useDocuments((state) => state.files)
  if (!detail) return null
  const before = new Map(detail.files.map((file) => [file.path, file.text]))
  const after = new Map(files.map((file) => [file.path, file.text]))
  const paths = [...new Set([...before.keys(), ...after.keys()])].filter((path) => before.get(path) !== after.get(path))
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

function signed(difference: number): string {
  return `${difference > 0 ? '+' : '−'}${formatCount(Math.abs(difference))}`
}
