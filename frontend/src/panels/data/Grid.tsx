import { type KeyboardEvent, useRef } from 'react'
import type { RowsPage } from '../../api/types'
import { startOf } from '../../logic/cell-text'
import { isNumber, shownValue } from '../../logic/row-values'
import styles from './data.module.css'

interface GridProps {
  page: RowsPage
  /** The indexes of the cell that Tab reaches. */
  row: number
  column: number
  onMove: (row: number, column: number) => void
  /** Enter or a double click on a row. */
  onOpen: () => void
  onDelete: () => void
}

/** How many rows PageUp and PageDown move. */
const PAGE_STEP = 10

/** The rows of a page: one stop of Tab, arrow keys within, Enter opens the row, Delete asks to delete it. */
export function Grid({ page, row, column, onMove, onOpen, onDelete }: GridProps) {
  const grid = useRef<HTMLTableElement>(null)
  const move = (toRow: number, toColumn: number) => {
    const newRow = clamp(toRow, page.rows.length)
    const newColumn = clamp(toColumn, page.columns.length)
    onMove(newRow, newColumn)
    const rowElement = grid.current?.querySelectorAll<HTMLElement>('tbody > tr')[newRow]
    const cell = rowElement?.querySelectorAll<HTMLElement>('td')[newColumn]
    cell?.focus()
    cell?.scrollIntoView?.({ block: 'nearest', inline: 'nearest' })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.metaKey) return
    const target = targetOf(event, row, column, page)
    if (target) move(...target)
    else if (event.key === 'Enter') onOpen()
    else if (event.key === 'Delete') onDelete()
    else return
    event.preventDefault()
  }
  return (
    <div className={styles['scroll']} data-grid-of-rows>
      <table
        ref={grid}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role -- keys belong to the whole of it
        role="grid"
        className={styles['grid']}
        aria-label={`Rows of ${page.table}`}
        onKeyDown={onKeyDown}
      >
        <thead>
          <tr>
            {page.columns.map(({ name, type, is_key }) => (
              <th key={name} scope="col" data-numeric={isNumber(type)}>
                {name}
                <span className={styles['type']}>
                  {type}
                  {is_key ? ' · key' : ''}
                </span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {page.rows.map((values, rowIndex) => (
            // The index is the key of a row: its primary key may have several columns.
            // oxlint-disable-next-line react/no-array-index-key
            <tr key={rowIndex} aria-selected={rowIndex === row}>
              {values.map((value, columnIndex) => {
                const type = page.columns[columnIndex]?.type ?? ''
                return (
                  <td
                    key={page.columns[columnIndex]?.name}
                    tabIndex={rowIndex === row && columnIndex === column ? 0 : -1}
                    data-numeric={isNumber(type)}
                    onClick={() => move(rowIndex, columnIndex)}
                    onDoubleClick={onOpen}
                  >
                    <CellValue value={value} type={type} />
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The row and column that a key leads to, perhaps outside the page; null for a key that does not move. */
function targetOf(event: KeyboardEvent, row: number, column: number, page: RowsPage): [number, number] | null {
  const last = page.rows.length - 1
  switch (event.key) {
    case 'ArrowDown':
      return [row + 1, column]
    case 'ArrowUp':
      return [row - 1, column]
    case 'ArrowRight':
      return [row, column + 1]
    case 'ArrowLeft':
      return [row, column - 1]
    case 'PageDown':
      return [row + PAGE_STEP, column]
    case 'PageUp':
      return [row - PAGE_STEP, column]
    case 'Home':
      return event.ctrlKey ? [0, 0] : [row, 0]
    case 'End':
      return event.ctrlKey ? [last, page.columns.length - 1] : [row, page.columns.length - 1]
    default:
      return null
  }
}

function clamp(index: number, count: number): number {
  return Math.max(0, Math.min(count - 1, index))
}

function CellValue({ value, type }: { value: unknown; type: string }) {
  const { kind, text, more } = shownValue(value, type)
  if (kind === 'null') return <span className={styles['null']}>NULL</span>
  const { start, length } = startOf(text)
  const title = more ?? (length === null ? undefined : `${length} characters`)
  if (kind === 'moment')
    return (
      <time dateTime={text} title={title}>
        {text.replace('T', ' ')}
      </time>
    )
  return (
    <span title={title} data-kind={kind}>
      {text === '' ? <span className={styles['null']}>empty text</span> : start}
      {length === null ? null : '…'}
    </span>
  )
}
