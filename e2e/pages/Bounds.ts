import type { Locator, Page } from '@playwright/test'
import { Panel } from './Panel.ts'

/** “Explain this number”. */
export class Bounds extends Panel {
  readonly operations: Locator
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
