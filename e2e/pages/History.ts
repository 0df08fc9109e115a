import type { Locator, Page } from '@playwright/test'
import { Panel } from './Panel.ts'

/** The panel History: the saves, what each changed, and the button that restores one. */
export class History extends Panel {
  readonly saves: Locator
  readonly detail: Locator
  readonly bounds: Locator

  constructor(page: Page) {
    super(page, 'History')
    this.saves = this.content.getByRole('list', { name: 'Saves, the newest first' }).getByRole('button')
    this.detail = this.content.getByRole('region', { name: /^Save \d+/ })
    this.bounds = this.detail.getByRole('table', { name: 'Bounds that change' })
  }

  async choose(message: string): Promise<void> {
    await this.saves.filter({ hasText: message }).first().click()
  }

  /** The save whose texts became a version, by environment and number such as `development/2`. */
  saveDeployedAs(version: string): Locator {
    return this.saves.filter({ hasText: version }).first()
  }

  /** The number of the save that is shown: journeys before this one have made saves of their own. */
  async shownNumber(): Promise<number> {
    return Number((await this.detail.getAttribute('aria-label'))?.replace('Save ', ''))
  }

  async compareWith(what: 'before' | 'now' | number): Promise<void> {
    await this.detail.getByLabel('Compare').selectOption(String(what))
  }

  /** Chooses the query whose plans in both versions are drawn. */
  async showPlansOf(query: string): Promise<void> {
    await this.detail.getByLabel('Plans of').selectOption(query)
  }

  /** The sentence that says how the plans of a query differ. */
  difference(query: string): Locator {
    return this.detail.getByRole('status', { name: `Difference of the plans of ${query}` })
  }

  /** The plan in one version, such as `save 3` or `now`, with its bound. */
  planIn(version: string): Locator {
    return this.detail.getByRole('region', { name: `Plan in ${version}`, exact: true })
  }

  async restore(): Promise<void> {
    await this.detail.getByRole('button', { name: /^Restore/ }).click()
  }
}
