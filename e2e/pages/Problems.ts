import { expect, type Locator, type Page } from '@playwright/test'

/** The drawer of problems: what the compiler reports, with fixes. Its count is a button in the status bar. */
export class Problems {
  readonly content: Locator
  /** How many problems there are; a click opens or closes the drawer. */
  readonly count: Locator
  /** The sentence that there are no problems. */
  readonly none: Locator
  readonly items: Locator

  constructor(page: Page) {
    const status = page.getByRole('region', { name: 'Status', exact: true })
    this.content = page.getByRole('region', { name: 'Problems', exact: true })
    this.count = status.getByRole('button', { name: /problems|errors?|warnings?|hints?|Not compiled/ })
    this.none = status.getByText('No problems')
    this.items = this.content.getByRole('list', { name: 'Problems' }).locator('> li')
  }

  /** The message that says what went wrong. */
  get alert(): Locator {
    return this.content.getByRole('alert')
  }

  /** Opens the drawer, which hints do not open by themselves. */
  async open(): Promise<void> {
    await this.count.click()
    await expect(this.content).toBeVisible()
  }

  async close(): Promise<void> {
    await this.content.getByRole('button', { name: 'Close the problems' }).click()
    await expect(this.content).toHaveCount(0)
  }

  /** The message of the problem at a position such as `queries/a.piql:5`. */
  sentence(position: string): Locator {
    return this.about(position).getByRole('button').first()
  }

  async copyAll(): Promise<void> {
    await this.content.getByRole('button', { name: /^Copy all/ }).click()
  }

  async copyOne(words: string): Promise<void> {
    await this.about(words).getByRole('button', { name: 'Copy this problem as text' }).click()
  }

  /** The link to the page of a code. */
  code(code: string): Locator {
    return this.items.getByRole('link', { name: code, exact: true }).first()
  }

  /** The entries that contain some words. */
  about(words: string | RegExp): Locator {
    return this.items.filter({ hasText: words })
  }
}
