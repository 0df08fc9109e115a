import type { HTMLAttributes, ReactNode, TdHTMLAttributes } from 'react'
import styles from './table.module.css'

interface Column {
  name: string
  isNumeric?: boolean
  /** The name is only for screen readers, because the content needs none. */
  isHidden?: boolean
  /** The name may take several lines, and stays in sight when the table is scrolled sideways. */
  isWrapped?: boolean
}

interface TableProps {
  label: string
  columns: readonly (string | Column)[]
  children: ReactNode
}

/** A dense table; `label` names it for screen readers. The children are its rows. */
export function Table({ label, columns, children }: TableProps) {
  return (
    // A region that scrolls can be reached by the keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={styles['tableWrap']} tabIndex={0} role="group" aria-label={`${label}, scrollable`}>
      <table className={styles['table']} aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) => {
              const {
                name,
                isNumeric = false,
                isHidden = false,
                isWrapped = false,
              } = typeof column === 'string' ? { name: column } : column
              return (
                <th key={name} scope="col" data-numeric={isNumeric} data-wrapped={isWrapped}>
                  {isHidden ? <span className="visually-hidden">{name}</span> : name}
                </th>
              )
            })}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}

export function Cell({ isNumeric = false, ...rest }: { isNumeric?: boolean } & TdHTMLAttributes<HTMLTableCellElement>) {
  return <td data-numeric={isNumeric} {...rest} />
}

/** The head of a column of numbers. */
export function numeric(name: string): Column {
  return { name, isNumeric: true }
}

/** The head of a column whose name is not shown. */
export function unseen(name: string): Column {
  return { name, isHidden: true }
}

/** A bar above or below a panel's content. */
export function Toolbar({ label, children, ...rest }: { label: string } & HTMLAttributes<HTMLDivElement>) {
  return (
    <div className={styles['toolbar']} role="group" aria-label={label} {...rest}>
      {children}
    </div>
  )
}

/** Takes the free space of a toolbar, so that what follows is at its end. */
export function Spacer() {
  return <span className={styles['spacer']} />
}
