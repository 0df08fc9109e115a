import type { Locator, Page } from '@playwright/test'

/** A panel behind a tab. */
export abstract class Panel {
  readonly tab: Locator
  readonly content: Locator

  constructor(
    protected readonly page: Page,
    title: string,
  ) {
    this.tab = page.getByRole('tab', { name: new RegExp(`^${title}\\b`) })
    this.content = page.getByRole('tabpanel', { name: new RegExp(`^${title}\\b`) })
  }

  async open(): Promise<void> {
    await this.tab.click()
    await this.content.waitFor()
  }

  /** What went wrong, in the workbench's words. */
  get alert(): Locator {
    return this.content.getByRole('alert')
  }
}
