import type { Locator, Page } from '@playwright/test'
import { Panel } from './Panel.ts'

/** The panel Bounds, which explains the bound of the current query. */
export class Bounds extends Panel {
  /** The bound with the formula behind it. */
  readonly operations: Locator
  /** The lines of the schema that the bound relies on. */
  readonly proofs: Locator

  constructor(page: Page) {
    super(page, 'Bounds')
    this.operations = this.content.getByRole('region', { name: 'Operations' })
    this.proofs = this.content.getByRole('region', { name: 'What proves it' })
  }

  get scalingClass(): Locator {
    return this.content.getByText(/^class [IV]+$/)
  }
}
