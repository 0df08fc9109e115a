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

  constructor(page: Page) {
    super(page, 'Diagram')
    this.drawing = this.content.getByRole('group', { name: 'Diagram of the schema' })
    this.tables = this.drawing.locator('[data-table]')
    this.steps = this.content.getByRole('list', { name: /^Steps of/ }).getByRole('listitem')
    this.rows = this.content.getByRole('table', { name: 'Tables of the schema' }).getByRole('row')
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
