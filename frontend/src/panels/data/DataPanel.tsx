import { useQuery, useQueryClient } from '@tanstack/react-query'
import {
  ChevronLeft,
  ChevronRight,
  Gauge,
  Pencil,
  Plus,
  Sprout,
  Table2,
  TextSearch,
  Trash2,
  Upload,
} from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { keyOf } from '../../api/environment'
import type { LiveTable } from '../../api/types'
import { openPanel } from '../../app/panel-view'
import { useEnvironment } from '../../app/url-state'
import { limitText } from '../../logic/limit-text'
import { Button, IconButton } from '../../ui/Button'
import { EmptyState } from '../../ui/EmptyState'
import { SelectField } from '../../ui/Field'
import { ErrorNotice } from '../../ui/Notice'
import { Spacer, Toolbar } from '../../ui/Table'
import { plural } from '../../units'
import { AdHoc } from './AdHoc'
import { DeleteRow } from './DeleteRow'
import styles from './data.module.css'
import { exportAddress, rows, tables, type Values, valuesByColumn } from './data-api'
import { Filter } from './Filter'
import { GenerateDialog } from './GenerateDialog'
import { Grid } from './Grid'
import { Headroom } from './Headroom'
import { ImportDialog } from './ImportDialog'
import { keyValuesOf, RowForm } from './RowForm'
import { useStatement } from './statement'

/** The rows of a table of the live version: read by pages and filtered, changed one by one, imported and exported. */
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

/**
 * `about 1,200 rows · key owner, target · ≤ 100 per owner`; no count where it is estimated as 0, which a cluster does
 * until it has written a table to its disks.
 */
export function aboutOf(table: LiveTable): string {
  const count = table.rows_estimate > 0 ? [`about ${plural(table.rows_estimate, 'row')}`] : []
  return [...count, `key ${table.primary_key.join(', ')}`, ...table.limits.map(limitText)].join(' · ')
}

function keyTextOf(table: LiveTable, row: Values): string {
  return JSON.stringify(keyValuesOf(table, row))
}

/** The form or dialog that is open over the rows. */
type Task = 'insert' | 'edit' | 'delete' | 'import' | 'generate' | 'headroom'

/** The rows of one table; `choice` is the field that chooses the table. */
function Rows({ table, choice }: { table: LiveTable; choice: ReactNode }) {
  const environment = useEnvironment()
  const queryClient = useQueryClient()
  const [filter, setFilter] = useState<Values>({})
  const [cursors, setCursors] = useState<readonly string[]>([]) // of the pages after the first, up to the shown one
  const [cell, setCell] = useState({ row: 0, column: 0 })
  const [task, setTask] = useState<Task | null>(null)
  const [subject, setSubject] = useState<Values | null>(null) // the row that a form is about, wherever it stands by now
  const isSelecting = useStatement(({ isOpen }) => isOpen)
  const [lastWrite, setLastWrite] = useState('') // a sentence about it, shown until the next task
  const { data: page, error, isFetching } = useQuery(rows(environment, table.name, filter, cursors.at(-1) ?? null))
  const rowIndex = Math.min(cell.row, Math.max(0, (page?.rows.length ?? 0) - 1))
  const rowAt = (index: number): Values | null => (page ? (valuesByColumn(page)[index] ?? null) : null)
  const row = rowAt(rowIndex)
  const goToPage = (pageCursors: readonly string[]) => {
    setCursors(pageCursors)
    setCell({ row: 0, column: 0 })
    setTask(null)
  }
  const close = () => {
    setTask(null)
    requestAnimationFrame(() => {
      document.querySelector<HTMLElement>('[data-grid-of-rows] td[tabindex="0"]')?.focus()
    })
  }
  const readAgain = () => void queryClient.invalidateQueries({ queryKey: keyOf('tables', environment) })
  const done = (sentence: string) => {
    close()
    setLastWrite(sentence)
    readAgain()
  }
  const begin = (next: Task) => {
    setLastWrite('')
    setSubject(row)
    setTask(next)
  }
  if (isSelecting) {
    return (
      <AdHoc
        table={table.name}
        onClose={() => {
          useStatement.setState({ isOpen: false })
          close()
        }}
      />
    )
  }
  return (
    <>
      <div className={styles['head']}>
        {choice}
        <Spacer />
        <TaskButtons hasRow={row !== null} onBegin={begin} />
        <p className={styles['about']}>{aboutOf(table)}</p>
      </div>
      <Toolbar label="Filter of the rows">
        <Filter
          table={table}
          filter={filter}
          onFilter={(next) => {
            setFilter(next)
            goToPage([])
          }}
        />
      </Toolbar>
      {task === 'insert' ? <RowForm table={table} row={null} onDone={done} onClose={close} /> : null}
      {task === 'edit' && subject ? (
        <RowForm key={keyTextOf(table, subject)} table={table} row={subject} onDone={done} onClose={close} />
      ) : null}
      {task === 'delete' && subject ? (
        <DeleteRow key={keyTextOf(table, subject)} table={table} row={subject} onDone={done} onClose={close} />
      ) : null}
      {task === 'import' ? (
        <ImportDialog
          table={table}
          onClose={() => {
            setTask(null)
            readAgain()
          }}
        />
      ) : null}
      {task === 'generate' ? (
        <GenerateDialog
          onClose={() => {
            setTask(null)
            readAgain()
          }}
        />
      ) : null}
      {task === 'headroom' ? <Headroom table={table} onClose={close} /> : null}
      {error ? <ErrorNotice error={error} /> : null}
      {!page && !error ? <EmptyState title="Reading the rows…" /> : null}
      {page && !error ? (
        <>
          {page.rows.length > 0 ? (
            <Grid
              page={page}
              row={rowIndex}
              column={cell.column}
              onMove={(toRow, column) => {
                setCell({ row: toRow, column })
                if (task === 'delete') setSubject(rowAt(toRow))
              }}
              onOpen={() => begin('edit')}
              onDelete={() => begin('delete')}
            />
          ) : (
            <EmptyState icon={<Table2 size={22} aria-hidden />} title="No rows">
              {Object.keys(filter).length > 0
                ? 'No row has these values.'
                : 'Add one, import a file, or generate some.'}
            </EmptyState>
          )}
          <Toolbar label="Pages and files">
            <p className={styles['cost']} role="status" aria-busy={isFetching}>
              {lastWrite ? <strong>{lastWrite}</strong> : null}
              <span>{plural(page.rows.length, 'row')}</span>
              <span>{plural(page.operations, 'operation')}</span>
              {page.index ? <span>by {page.index}</span> : null}
            </p>
            <Spacer />
            <PageButtons cursors={cursors} next={page.cursor} isFetching={isFetching} onGo={goToPage} />
            <ExportLinks table={table.name} />
          </Toolbar>
        </>
      ) : null}
    </>
  )
}

interface TaskButtonsProps {
  hasRow: boolean
  onBegin: (task: Task) => void
}

function TaskButtons({ hasRow, onBegin }: TaskButtonsProps) {
  return (
    <div className={styles['actions']} role="group" aria-label="Rows">
      <Button size="small" icon={<Plus size={12} aria-hidden />} onClick={() => onBegin('insert')}>
        Add
      </Button>
      <Button size="small" icon={<Pencil size={12} aria-hidden />} disabled={!hasRow} onClick={() => onBegin('edit')}>
        Edit
      </Button>
      <Button size="small" icon={<Trash2 size={12} aria-hidden />} disabled={!hasRow} onClick={() => onBegin('delete')}>
        Delete
      </Button>
      <Button size="small" icon={<Upload size={12} aria-hidden />} onClick={() => onBegin('import')}>
        Import
      </Button>
      <Button size="small" icon={<Sprout size={12} aria-hidden />} onClick={() => onBegin('generate')}>
        Generate
      </Button>
      <Button
        size="small"
        icon={<TextSearch size={12} aria-hidden />}
        onClick={() => useStatement.setState({ isOpen: true })}
      >
        SELECT…
      </Button>
      <Button size="small" icon={<Gauge size={12} aria-hidden />} onClick={() => onBegin('headroom')}>
        Headroom
      </Button>
    </div>
  )
}

interface PageButtonsProps {
  /** The cursors of the pages after the first, up to the shown one. */
  cursors: readonly string[]
  /** The cursor of the next page; null on the last. */
  next: string | null
  isFetching: boolean
  onGo: (cursors: readonly string[]) => void
}

function PageButtons({ cursors, next, isFetching, onGo }: PageButtonsProps) {
  return (
    <span className={styles['pages']}>
      <IconButton
        label="Previous page"
        look="plain"
        size="small"
        disabled={cursors.length === 0}
        onClick={() => onGo(cursors.slice(0, -1))}
      >
        <ChevronLeft size={14} aria-hidden />
      </IconButton>
      <span>Page {cursors.length + 1}</span>
      <IconButton
        label="Next page"
        look="plain"
        size="small"
        disabled={next === null || isFetching}
        onClick={() => next !== null && onGo([...cursors, next])}
      >
        <ChevronRight size={14} aria-hidden />
      </IconButton>
    </span>
  )
}

const FORMATS = { csv: 'CSV', jsonl: 'JSON lines', parquet: 'Parquet' } as const

/** Links that download all rows of a table. */
function ExportLinks({ table }: { table: string }) {
  const environment = useEnvironment()
  return (
    <span className={styles['files']}>
      All rows as
      {(['csv', 'jsonl', 'parquet'] as const).map((format) => (
        <a key={format} href={exportAddress(environment, table, format)} download={`${table}.${format}`}>
          {FORMATS[format]}
        </a>
      ))}
    </span>
  )
}
