import { useQuery, useQueryClient } from '@tanstack/react-query'
import { ChevronLeft, ChevronRight, Pencil, Plus, Table2, Trash2, Upload } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { keyOf } from '../../api/environment'
import type { LiveTable } from '../../api/types'
import { openPanel } from '../../app/panel-view'
import { useEnvironment } from '../../app/url-state'
import { Button, IconButton } from '../../ui/Button'
import { EmptyState } from '../../ui/EmptyState'
import { SelectField } from '../../ui/Field'
import { ErrorNotice } from '../../ui/Notice'
import { Spacer, Toolbar } from '../../ui/Table'
import { formatCount, plural } from '../../units'
import { DeleteRow } from './DeleteRow'
import styles from './data.module.css'
import { exportAddress, rows, tables, type Values } from './data-api'
import { Filter } from './Filter'
import { Grid } from './Grid'
import { ImportDialog } from './ImportDialog'
import { RowForm } from './RowForm'

/** The tables of the live version: their rows by pages, single rows written, files in and out. */
export default function DataPanel() {
  const environment = useEnvironment()
  const { data, error } = useQuery(tables(environment))
  const [name, setName] = useState('')
  if (error && !data) return <ErrorNotice error={error} />
  if (!data) return <EmptyState title="Looking for the tables…" />
  const table = data.items.find((candidate) => candidate.name === name) ?? data.items[0]
  if (!table) {
    return (
      <EmptyState
        icon={<Table2 size={22} aria-hidden />}
        title="No tables yet"
        actions={<Button onClick={() => openPanel('deploy')}>Deploy</Button>}
      >
        The tables are those of the live version: deploy a schema first.
      </EmptyState>
    )
  }
  return (
    <div className={styles['panel']}>
      <Rows
        key={table.name}
        table={table}
        choice={
          <SelectField label="Table" value={table.name} onChange={(event) => setName(event.target.value)}>
            {data.items.map((candidate) => (
              <option key={candidate.name}>{candidate.name}</option>
            ))}
          </SelectField>
        }
      />
    </div>
  )
}

function aboutOf(table: LiveTable): string {
  const limits = table.limits.map(({ limit, columns }) => `≤ ${formatCount(limit)} per ${columns.join(', ')}`)
  return [`about ${plural(table.rows_estimate, 'row')}`, `key ${table.primary_key.join(', ')}`, ...limits].join(' · ')
}

type Task = 'insert' | 'edit' | 'delete' | 'import' | null

function Rows({ table, choice }: { table: LiveTable; choice: ReactNode }) {
  const environment = useEnvironment()
  const queryClient = useQueryClient()
  const [filter, setFilter] = useState<Values>({})
  const [cursors, setCursors] = useState<readonly string[]>([])
  const [place, setPlace] = useState({ row: 0, column: 0 })
  const [task, setTask] = useState<Task>(null)
  const [said, setSaid] = useState('')
  const { data: page, error, isFetching } = useQuery(rows(environment, table.name, filter, cursors.at(-1) ?? null))
  const at = Math.min(place.row, Math.max(0, (page?.rows.length ?? 0) - 1))
  const values = page?.rows[at]
  const row =
    page && values
      ? (Object.fromEntries(page.columns.map(({ name }, index) => [name, values[index] ?? null])) as Values)
      : null
  const go = (next: readonly string[]) => {
    setCursors(next)
    setPlace({ row: 0, column: 0 })
    setTask(null)
  }
  const close = () => {
    setTask(null)
    requestAnimationFrame(() => {
      document.querySelector<HTMLElement>('[data-grid-of-rows] td[tabindex="0"]')?.focus()
    })
  }
  const done = (words: string) => {
    close()
    setSaid(words)
    void queryClient.invalidateQueries({ queryKey: keyOf('tables', environment) })
  }
  const begin = (next: Task) => {
    setSaid('')
    setTask(next)
  }
  return (
    <>
      <div className={styles['head']}>
        {choice}
        <Spacer />
        <div className={styles['actions']} role="group" aria-label="Rows">
          <Button size="small" icon={<Plus size={12} aria-hidden />} onClick={() => begin('insert')}>
            Add
          </Button>
          <Button size="small" icon={<Pencil size={12} aria-hidden />} disabled={!row} onClick={() => begin('edit')}>
            Edit
          </Button>
          <Button size="small" icon={<Trash2 size={12} aria-hidden />} disabled={!row} onClick={() => begin('delete')}>
            Delete
          </Button>
          <Button size="small" icon={<Upload size={12} aria-hidden />} onClick={() => begin('import')}>
            Import
          </Button>
        </div>
        <p className={styles['about']}>{aboutOf(table)}</p>
      </div>
      <Toolbar label="Filter of the rows">
        <Filter
          table={table}
          filter={filter}
          onFilter={(next) => {
            setFilter(next)
            go([])
          }}
        />
      </Toolbar>
      {task === 'insert' ? <RowForm table={table} row={null} onDone={done} onClose={close} /> : null}
      {task === 'edit' && row ? (
        <RowForm key={JSON.stringify(row)} table={table} row={row} onDone={done} onClose={close} />
      ) : null}
      {task === 'delete' && row ? <DeleteRow table={table} row={row} onDone={done} onClose={close} /> : null}
      {task === 'import' ? (
        <ImportDialog
          table={table}
          onClose={() => {
            setTask(null)
            void queryClient.invalidateQueries({ queryKey: keyOf('tables', environment) })
          }}
        />
      ) : null}
      {error ? <ErrorNotice error={error} /> : null}
      {page && !error ? (
        <>
          {page.rows.length > 0 ? (
            <Grid
              page={page}
              row={at}
              column={place.column}
              onMove={(to, column) => setPlace({ row: to, column })}
              onOpen={() => begin('edit')}
              onDelete={() => begin('delete')}
            />
          ) : (
            <EmptyState icon={<Table2 size={22} aria-hidden />} title="No rows">
              {Object.keys(filter).length > 0 ? 'No row has these values.' : 'Add one, or import a file.'}
            </EmptyState>
          )}
          <Toolbar label="Pages and files">
            <p className={styles['cost']} role="status" aria-busy={isFetching}>
              {said ? <strong>{said}</strong> : null}
              <span>{plural(page.rows.length, 'row')}</span>
              <span>{plural(page.operations, 'operation')}</span>
              {page.index ? <span>by {page.index}</span> : null}
            </p>
            <Spacer />
            <span className={styles['pages']}>
              <IconButton
                label="Previous page"
                look="plain"
                size="small"
                disabled={cursors.length === 0}
                onClick={() => go(cursors.slice(0, -1))}
              >
                <ChevronLeft size={14} aria-hidden />
              </IconButton>
              <span>Page {cursors.length + 1}</span>
              <IconButton
                label="Next page"
                look="plain"
                size="small"
                disabled={page.cursor === null || isFetching}
                onClick={() => page.cursor !== null && go([...cursors, page.cursor])}
              >
                <ChevronRight size={14} aria-hidden />
              </IconButton>
            </span>
            <span className={styles['files']}>
              All rows as
              {(['csv', 'jsonl', 'parquet'] as const).map((format) => (
                <a
                  key={format}
                  href={exportAddress(environment, table.name, format)}
                  download={`${table.name}.${format}`}
                >
                  {{ csv: 'CSV', jsonl: 'JSON lines', parquet: 'Parquet' }[format]}
                </a>
              ))}
            </span>
          </Toolbar>
        </>
      ) : null}
    </>
  )
}
