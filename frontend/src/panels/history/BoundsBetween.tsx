import { useQuery } from '@tanstack/react-query'
import { ArrowRight } from 'lucide-react'
import { compilationOf } from '../../api/queries'
import type { SourceFile } from '../../api/types'
import { useCompilation } from '../../app/selection'
import { type BoundChange, changesBetween } from '../../logic/set-changes'
import { Badge, type Tone } from '../../ui/Badge'
import { Cell, numeric, Table, unseen } from '../../ui/Table'
import { formatCount } from '../../units'
import styles from './history.module.css'

interface State {
  number: number
  files: readonly SourceFile[]
}

/** Queries and bounds that differ between two saves, or between one and the text of now where `later` is null. */
export function BoundsBetween({
  application,
  older,
  later,
}: {
  application: string
  older: State
  later: State | null
}) {
  const now = useCompilation()
  const { data: before } = useQuery(compilationOf([application, older.number], older.files))
  const { data: saved } = useQuery({
    ...compilationOf([application, later?.number], later?.files ?? []),
    enabled: later !== null,
  })
  const after = later === null ? now : saved
  if (!before || !after) return <p className={styles['reading']}>Compiling both…</p>
  const changes = changesBetween(before.queries, after.queries)
  return (
    <>
      <ul className={styles['changes']} aria-label="Queries that differ">
        <Names tone="accent" word="added" names={changes.added} />
        <Names tone="info" word="changed" names={changes.changed} />
        <Names tone="danger" word="removed" names={changes.removed} />
      </ul>
      {changes.bounds.length > 0 ? (
        <Table label="Bounds that differ" columns={['Query', numeric('Before'), unseen('becomes'), numeric('After')]}>
          {changes.bounds.map(({ query, before: old, after: bound }) => (
            <tr key={query}>
              <Cell>
                <code>{query}</code>
              </Cell>
              <Cell isNumeric>{boundText(old)}</Cell>
              <Cell>
                <ArrowRight size={12} aria-label="becomes" />
              </Cell>
              <Cell isNumeric>{boundText(bound)}</Cell>
            </tr>
          ))}
        </Table>
      ) : null}
    </>
  )
}

function Names({ tone, word, names }: { tone: Tone; word: string; names: readonly string[] }) {
  return names.map((name) => (
    <li key={name}>
      <Badge tone={tone}>{word}</Badge> <code>{name}</code>
    </li>
  ))
}

function boundText(bound: BoundChange['before']): string {
  return bound === null ? 'no bound' : `≤ ${formatCount(bound.operations)}`
}
