/** Downloads: every visible table as CSV, or any text as a file. */
import { toCsv } from '../logic/table-export'
import { notify } from './notices'

/** Downloads each table in sight as a CSV file of the texts that its cells show, named after its label. */
export function exportTables(): void {
  const tables = [...document.querySelectorAll<HTMLTableElement>('table')].filter(
    (table) => table.offsetParent !== null,
  )
  for (const table of tables) {
    const [head = [], ...rows] = [...table.rows].map((row) => [...row.cells].map((cell) => cell.innerText.trim()))
    download(`${table.getAttribute('aria-label') ?? 'table'}.csv`, 'text/csv', toCsv(head, rows))
  }
  if (tables.length === 0) notify({ tone: 'info', text: 'No table is visible; charts have a table view.' })
}

/** Lets the browser save a text as a file; `type` is its media type. */
export function download(name: string, type: string, text: string): void {
  saveFile(name, new Blob([text], { type }))
}

/** Lets the browser save the content of a file. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 1000) // the browser reads the URL some time after the click
}
