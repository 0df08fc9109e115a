import type { Locator, Page } from '@playwright/test'
import { Panel } from './Panel.ts'

/** The panel Diagram: tables as boxes, references as links, and the steps of the current query over them. */
export class Diagram extends Panel {
  readonly drawing: Locator
  readonly tables: Locator
  /** What the current query reads and writes, in order. */
  readonly steps: Locator
  /** Rows of the diagram's table view. */
  readonly rows: Locator
  /** The dialog that changes the schema, and the button that writes the change into the text. */
  readonly change: Locator
  readonly write: Locator

  constructor(page: Page) {
    super(page, 'Diagram')
    this.drawing = this.content.getByRole('group', { name: 'Diagram of the schema' })
    this.tables = this.drawing.locator('[data-table]')
    this.steps = this.content.getByRole('list', { name: /^Steps of/ }).getByRole('listitem')
    this.rows = this.content.getByRole('table', { name: 'Tables of the schema' }).getByRole('row')
    this.change = page.getByRole('dialog', { name: 'Change the schema' })
    this.write = this.change.getByRole('button', { name: 'Write it into the text' })
  }

  /** Opens the dialog for a kind of change; a new table is of no other one. */
  async changes(kind: string, table?: string): Promise<void> {
    await this.content.getByRole('button', { name: 'Change', exact: true }).click()
    await this.change.getByLabel('Change', { exact: true }).selectOption({ label: kind })
    if (table !== undefined) await this.change.getByLabel('Table').selectOption(table)
  }

  /** Fills the dialog that adds a table; `columns` has one a line. */
  async describeTable(name: string, columns: string, key: string): Promise<void> {
    await this.change.getByLabel('Name').fill(name)
    await this.change.getByLabel('Columns').fill(columns)
    await this.change.getByLabel('Primary key').fill(key)
  }

  /** Pulls a line from the side of a table to another one. */
  async pull(from: string, to: string): Promise<void> {
    await this.drawing.locator(`.react-flow__node[data-id="${from}"] .react-flow__handle.source`).hover()
    await this.page.mouse.down()
    const box = await this.drawing.locator(`.react-flow__node[data-id="${to}"]`).boundingBox()
    if (!box) throw new Error(`${to} is not in sight`)
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
    await this.page.mouse.move(x, y, { steps: 5 })
    await this.drawing.locator('.react-flow__connection').waitFor() // now the tables open for the line
    await this.page.mouse.move(x + 2, y + 2, { steps: 2 })
    await this.page.mouse.up()
  }

  /** The button that saves the diagram as a picture. */
  save(kind: 'SVG' | 'PNG'): Locator {
    return this.content.getByRole('button', { name: `Save as ${kind}` })
  }

  /** The name of a table, which leads to its text. */
  table(name: string): Locator {
    return this.drawing.locator(`[data-table="${name}"]`)
  }

  /** The columns, limits and indexes of a table. */
  partsOf(table: string): Locator {
    return this.drawing.getByRole('list', { name: `Parts of ${table}`, exact: true }).getByRole('listitem')
  }

  /** What stands on the links between tables. */
  get labels(): Locator {
    return this.drawing.locator('.react-flow__edgelabel-renderer > div')
  }

  async show(part: 'Whole' | 'Query only' | 'Schema only' | 'Graph' | 'Table'): Promise<void> {
    await this.content.getByRole('button', { name: part, exact: true }).click()
  }
}
