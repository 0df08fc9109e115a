import type { Locator, Page } from '@playwright/test'

/** The steps of the work, each with its state, and the sentence that says what matters now. */
export class Flow {
  readonly lead: Locator
  private readonly steps: Locator

  constructor(page: Page) {
    this.steps = page.getByRole('navigation', { name: 'Steps' })
    this.lead = this.steps.getByRole('paragraph')
  }

  /** A step by its name, such as `Deploy`; its state follows the name. */
  step(name: string): Locator {
    return this.steps.getByRole('button', { name: new RegExp(`^${name}\\b`) })
  }
}
