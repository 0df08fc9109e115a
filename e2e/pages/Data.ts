import type { Locator, Page } from '@playwright/test'
import { Panel } from './Panel.ts'

/** The panel Data: rows of a table, the form of one row, and the dialog of an import. */
export class Data extends Panel {
  /** The choice of the table. */
  readonly table: Locator
  readonly grid: Locator
  readonly rows: Locator
  /** What the last read or write cost. */
  readonly cost: Locator
  readonly filter: Locator
  readonly dialog: Locator
  /** Rows of the imported file that cannot be loaded, with line and column. */
  readonly faults: Locator

  constructor(page: Page) {
    super(page, 'Data')
    this.table = this.content.getByLabel('Table', { exact: true })
    this.grid = this.content.getByRole('grid')
    this.rows = this.grid.locator('tbody').getByRole('row')
    this.cost = this.content.getByRole('group', { name: 'Pages and files' }).getByRole('status')
    this.filter = this.content.getByRole('form', { name: 'Filter' })
    this.dialog = page.getByRole('dialog')
    this.faults = this.dialog.getByRole('table', { name: 'Faults' }).locator('tbody').getByRole('row')
  }

  button(name: string): Locator {
    return this.content.getByRole('button', { name, exact: true })
  }

  /** The form of one row: `New row of …`, `Edit a row of …` or `Delete a row of …`. */
  form(name: string): Locator {
    return this.content.getByRole('form', { name })
  }

  /** The form of a SELECT that is not deployed. */
  get selectForm(): Locator {
    return this.form('Run a SELECT')
  }

  /** Types a SELECT into the form and runs it. */
  async select(text: string): Promise<void> {
    await this.selectForm.getByLabel('SELECT over the live tables and indexes').fill(text)
    await this.selectForm.getByRole('button', { name: 'Run SELECT' }).click()
  }

  /** The rows that a SELECT gave. */
  get selected(): Locator {
    return this.content.getByRole('region', { name: 'Result' })
  }

  async filterBy(column: string, value: string): Promise<void> {
    await this.filter.getByLabel('Filter by').selectOption(column)
    await this.filter.getByLabel(`${column} equals`).fill(value)
    await this.filter.getByRole('button', { name: 'Filter', exact: true }).click()
  }

  /** Opens the dialog of an import and hands it a CSV file. */
  async upload(name: string, text: string): Promise<void> {
    await this.button('Import').click()
    await this.dialog
      .getByLabel('A file of CSV, JSON lines or Parquet')
      .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })
  }
}
