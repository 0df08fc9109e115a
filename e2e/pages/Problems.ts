import type { Locator, Page } from '@playwright/test'
import { Panel } from './Panel.ts'

export class Problems extends Panel {
  readonly none: Locator
  readonly items: Locator

  constructor(page: Page) {
    super(page, 'Problems')
    this.none = this.content.getByText('No problems')
    this.items = this.content.getByRole('list', { name: 'Problems' }).locator('> li')
  }

  /** What is said of a place. */
  sentence(place: string): Locator {
    return this.about(place).getByRole('button').first()
  }

  async copyAll(): Promise<void> {
    await this.content.getByRole('button', { name: /^Copy all/ }).click()
  }

  async copyOne(words: string): Promise<void> {
    await this.about(words).getByRole('button', { name: 'Copy this problem as text' }).click()
  }

  /** The way to the page of a code. */
  code(code: string): Locator {
    return this.items.getByRole('link', { name: code, exact: true }).first()
  }

  about(words: string | RegExp): Locator {
    return this.items.filter({ hasText: words })
  }
}
