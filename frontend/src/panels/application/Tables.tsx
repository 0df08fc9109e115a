import { Layers2, Table2, TriangleAlert } from 'lucide-react'
import type { Table } from '../../api/types'
import { reveal } from '../../app/editor-bridge'
import { useCompilation } from '../../app/selection'
import { matches } from '../../logic/query-list'
import { tableLens } from '../../logic/table-lens'
import styles from './application.module.css'
import { ROW } from './rows'
import { Section } from './Section'

/** The tables of the text with their limits, and those in which a query is unbounded; a click shows the text of one. */
export function Tables({ filter }: { filter: string }) {
  const compilation = useCompilation()
  const tables = compilation?.tables ?? []
  const shown = tables.filter(({ name }) => matches(name, filter))
  const sentences = new Map(
    (compilation?.queries ?? []).flatMap((query) =>
      query.unbounded.map((segment) => [segment.table, segment.sentence] as const),
    ),
  )
  return (
    <Section title="Tables" count={compilation?.tables.length} shown={shown.length}>
      <ul aria-label="Tables">
        {shown.map((table) => (
          <li key={table.name} className={styles['queryRow']}>
            <TableRow table={table} unboundedSentence={sentences.get(table.name)} />
          </li>
        ))}
      </ul>
      {compilation && tables.length === 0 ? (
        <p className={styles['hint']}>
          No tables yet. Write <code>CREATE TABLE</code> in a schema file.
        </p>
      ) : null}
    </Section>
  )
}

function TableRow({ table, unboundedSentence }: { table: Table; unboundedSentence: string | undefined }) {
  const target = table.name_range ?? table.range
  const Icon = table.made_from.length > 0 ? Layers2 : Table2
  return (
    <button
      type="button"
      className={styles['query']}
      data-unbounded={unboundedSentence !== undefined}
      title={unboundedSentence ? `${table.name}: ${unboundedSentence}` : table.name}
      onClick={() => target && reveal(target)}
      {...ROW}
    >
      <span className={styles['queryHead']}>
        <Icon size={13} className={styles['rowIcon']} aria-hidden />
        <span className={styles['queryName']}>{table.name}</span>
        {unboundedSentence ? <TriangleAlert size={13} className={styles['unboundedIcon']} aria-hidden /> : null}
      </span>
      <span className={styles['lens']}>{tableLens(table, unboundedSentence !== undefined).join(' · ')}</span>
    </button>
  )
}
