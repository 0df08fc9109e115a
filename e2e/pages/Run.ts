import type { Locator, Page } from '@playwright/test'
import { Panel } from './Panel.ts'

/** The panel Run: the form of a query's parameters, the rows of its result, and what they cost. */
export class Run extends Panel {
  readonly result: Locator
  readonly rows: Locator
  /** Rows, operations and round trips of the last execution. */
  readonly cost: Locator
  /** What was run before, the newest first. */
  readonly pastRuns: Locator

  constructor(page: Page) {
    super(page, 'Run')
    this.result = this.content.getByRole('region', { name: 'Result' })
    this.rows = this.result.getByRole('table').locator('tbody').getByRole('row')
    this.cost = this.result.getByRole('status')
    this.pastRuns = this.content.getByRole('list', { name: 'Runs' }).getByRole('listitem')
  }

  async choose(query: string): Promise<void> {
    await this.content.getByLabel('Query', { exact: true }).selectOption(query)
    await this.form(query).waitFor()
  }

  parameter(name: string): Locator {
    return this.content.getByLabel(name, { exact: true })
  }

  async fill(values: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, value] of Object.entries(values)) await this.parameter(name).fill(value)
  }

  /** Fills a parameter with the present time. */
  async fillNow(name: string): Promise<void> {
    await this.content.getByRole('button', { name: `Now as ${name}` }).click()
  }

  /** Chooses NULL for a parameter, or takes it back, by the keyboard: the choice is the next stop after its field. */
  async toggleNull(name: string): Promise<Locator> {
    await this.parameter(name).focus()
    await this.parameter(name).press('Tab')
    const choice = this.content.getByRole('button', { name: `NULL as ${name}` })
    await choice.and(this.content.locator(':focus')).press('Space')
    return choice
  }

  /** Chooses a query, fills its parameters and runs it. */
  async execute(query: string, values: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.choose(query)
    await this.fill(values)
    await this.submit(query)
  }

  async submit(query: string): Promise<void> {
    await this.form(query)
      .getByRole('button', { name: `Run ${query}` })
      .click()
  }

  async nextPage(): Promise<void> {
    await this.result.getByRole('button', { name: 'Next page' }).click()
  }

  async previousPage(): Promise<void> {
    await this.result.getByRole('button', { name: 'Previous page' }).click()
  }

  /** The choice of saved values. */
  get savedValues(): Locator {
    return this.content.getByLabel('Saved values', { exact: true }).and(this.content.getByRole('combobox'))
  }

  /** Saves the values of the form under a name. */
  async saveValuesAs(name: string): Promise<void> {
    await this.content.getByRole('button', { name: 'Save values as…' }).click()
    const form = this.content.getByRole('form', { name: 'Save values' })
    await form.getByLabel('Name of the values').fill(name)
    await form.getByRole('button', { name: 'Save values' }).click()
    await form.waitFor({ state: 'hidden' })
  }

  /** Shows or hides the earlier runs. */
  async togglePastRuns(): Promise<void> {
    await this.content.getByRole('button', { name: /^Earlier runs/ }).click()
  }

  /** The cells of one column of the page in sight, by its index from 0. */
  column(index: number): Locator {
    return this.result.getByRole('table').locator(`tbody td:nth-child(${index + 1})`)
  }

  form(query: string): Locator {
    return this.content.getByRole('form', { name: `Run ${query}` })
  }
}
