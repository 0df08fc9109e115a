import type { Locator, Page } from '@playwright/test'

/** What the models of all panels share: the tab, the content behind it, and the alerts in it. */
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

  /** The message that says what went wrong. */
  get alert(): Locator {
    return this.content.getByRole('alert')
  }
}
