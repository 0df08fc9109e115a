import type { Locator, Page } from '@playwright/test'
import { Panel } from './Panel.ts'

/** The panel Problems: what the compiler reports, with fixes. */
export class Problems extends Panel {
  /** The sentence that there are no problems. */
  readonly none: Locator
  readonly items: Locator

  constructor(page: Page) {
    super(page, 'Problems')
    this.none = this.content.getByText('No problems')
    this.items = this.content.getByRole('list', { name: 'Problems' }).locator('> li')
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
