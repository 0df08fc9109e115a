import { ChevronLeft, ChevronRight, Download } from 'lucide-react'
import { memo } from 'react'
import type { Execution } from '../../api/types'
import { download } from '../../app/export-tables'
import { startOf } from '../../logic/cell-text'
import { toCsv, toJson } from '../../logic/table-export'
import { Button, IconButton } from '../../ui/Button'
import { Cell, numeric, Spacer, Table, Toolbar } from '../../ui/Table'
import { formatCount, formatMs, formatTimestamp, plural } from '../../units'
import styles from './run.module.css'

interface ResultProps {
  answer: Execution
  /** The number of the page, from 1. */
  page: number
  isPending: boolean
  /** Null if there is no such page. */
  onNext: (() => void) | null
  onPrevious: (() => void) | null
}

const NUMBERS = /^(INT|BIGINT|DOUBLE|FLOAT|DECIMAL)/i

/** The rows of an execution, what they cost, and buttons for further pages and exports. */
export function Result({ answer, page, isPending, onNext, onPrevious }: ResultProps) {
  const names = answer.columns.map((column) => column.name)
  return (
    <section className={styles['answer']} aria-label="Result">
      <Toolbar label="Result">
        <Cost answer={answer} />
        <Spacer />
        {onPrevious || onNext ? (
          <span className={styles['pages']}>
            <IconButton
              label="Previous page"
              look="plain"
              size="small"
              disabled={!onPrevious || isPending}
              onClick={() => onPrevious?.()}
            >
              <ChevronLeft size={14} aria-hidden />
            </IconButton>
            <span className={styles['page']}>Page {page}</span>
            <IconButton
              label="Next page"
              look="plain"
              size="small"
              disabled={!onNext || isPending}
              onClick={() => onNext?.()}
            >
              <ChevronRight size={14} aria-hidden />
            </IconButton>
          </span>
        ) : null}
        {answer.rows.length > 0 ? (
          <span className={styles['exports']}>
            <Button
              size="small"
              look="quiet"
              icon={<Download size={12} aria-hidden />}
              onClick={() => download(`${answer.query}.csv`, 'text/csv', toCsv(names, answer.rows))}
            >
              CSV
            </Button>
            <Button
              size="small"
              look="quiet"
              icon={<Download size={12} aria-hidden />}
              onClick={() => download(`${answer.query}.json`, 'application/json', toJson(names, answer.rows))}
            >
              JSON
            </Button>
          </span>
        ) : null}
      </Toolbar>
      {answer.rows.length > 0 ? (
        <Table
          label={`Rows of ${answer.query}`}
          columns={answer.columns.map((column) =>
            NUMBERS.test(column.type ?? '') ? numeric(column.name) : column.name,
          )}
        >
          <Rows answer={answer} />
        </Table>
      ) : (
        <p className={styles['nothing']}>{answer.columns.length > 0 ? 'No rows.' : 'Done.'}</p>
      )}
    </section>
  )
}

/** Memoized, so that thousands of rows are not drawn again after each key that is typed into the form. */
const Rows = memo(function Rows({ answer }: { answer: Execution }) {
  return answer.rows.map((row, index) => (
    <tr key={`${index}:${String(row[0])}`}>
      {row.map((value, column) => (
        <Cell key={answer.columns[column]?.name} isNumeric={NUMBERS.test(answer.columns[column]?.type ?? '')}>
          <Value value={value} type={answer.columns[column]?.type ?? null} />
        </Cell>
      ))}
    </tr>
  ))
})

function Cost({ answer }: { answer: Execution }) {
  const share = answer.bound_operations > 0 ? answer.operations / answer.bound_operations : 0
  return (
    <p className={styles['cost']} role="status">
      {answer.rows_affected === null ? null : <strong>{plural(answer.rows_affected, 'row')} affected</strong>}
      {answer.columns.length > 0 && answer.rows_affected === null ? (
        <strong>{plural(answer.rows.length, 'row')}</strong>
      ) : null}
      <span className={styles['meter']} aria-hidden>
        <span style={{ width: `${Math.min(100, share * 100)}%` }} />
      </span>
      <span>
        {formatCount(answer.operations)} of ≤ {plural(answer.bound_operations, 'operation')}
      </span>
      <span>{plural(answer.round_trips, 'trip')}</span>
      <span>{formatMs(answer.elapsed_ms)}</span>
      {answer.repair_operations > 0 ? <span>{plural(answer.repair_operations, 'repair')}</span> : null}
    </p>
  )
}

function Value({ value, type }: { value: unknown; type: string | null }) {
  if (value === null || value === undefined) return <span className={styles['null']}>null</span>
  if (typeof value === 'string' && /^TIMESTAMP/i.test(type ?? '')) {
    return (
      <time dateTime={value} title={value} className={styles['time']}>
        {formatTimestamp(value)}
      </time>
    )
  }
  if (typeof value === 'object')
    return (
      <code>
        <Text text={JSON.stringify(value)} />
      </code>
    )
  return <Text text={String(value as string | number | boolean)} />
}

function Text({ text }: { text: string }) {
  const { start, length } = startOf(text)
  if (length === null) return start
  return (
    <>
      {start}… <span className={styles['null']}>{formatCount(length)} characters; CSV and JSON have all</span>
    </>
  )
}
