import type { Locator, Page } from '@playwright/test'
import { Panel } from './Panel.ts'

/** The panel Deploy: the next deployment, the version that is being built, and earlier versions. */
export class Deploy extends Panel {
  /** Deploys the text as the next version. */
  readonly button: Locator
  readonly reasons: Locator
  /** The sentence that says whether the text can be deployed. */
  readonly state: Locator
  readonly versions: Locator
  /** Queries that the deployment changes. */
  readonly changes: Locator
  /** Tables that the deployment changes. */
  readonly tables: Locator
  /** The version that is being built. */
  readonly onItsWay: Locator

  constructor(page: Page) {
    super(page, 'Deploy')
    this.button = this.content.getByRole('button', { name: /^Deploy version \d+$/ })
    this.state = this.content.getByRole('region', { name: 'Next deployment' }).getByRole('status').first()
    this.reasons = this.content.getByRole('list', { name: 'Reasons of the refusal' }).locator('> li')
    this.versions = this.content.getByRole('table', { name: 'Deployments' }).locator('tbody').getByRole('row')
    this.onItsWay = this.content.getByRole('region', { name: 'Version on its way' })
    this.tables = this.content.getByRole('list', { name: 'Tables that change' })
    this.changes = this.content.getByRole('list', { name: 'Changes' }).getByRole('listitem')
  }

  async steer(action: 'Pause' | 'Resume' | 'Cancel'): Promise<void> {
    await this.onItsWay.getByRole('button', { name: action }).click()
  }

  async rollBackTo(version: string): Promise<void> {
    await this.versions.getByRole('button', { name: `Roll back to version ${version}` }).click()
    await this.page.getByRole('dialog').getByRole('button', { name: 'Roll back', exact: true }).click()
  }

  /** Chooses the profile run that the version's predictions come from. */
  async predictFrom(runLabel: string): Promise<void> {
    await this.content.getByLabel('Predictions from').selectOption(runLabel)
  }
}
