import type { Locator, Page } from '@playwright/test'

/** Observed beside predicted latency. The same model fits the panel and the page of its own. */
export class Dashboard {
  readonly queries: Locator
  readonly burst: Locator

  constructor(private readonly page: Page) {
    this.queries = page.getByRole('list', { name: 'Queries by latency' }).getByRole('listitem')
    this.burst = page.getByRole('form', { name: 'Burst' })
  }

  query(name: string): Locator {
    return this.queries.filter({ hasText: name })
  }

  detail(query: string): Locator {
    return this.page.getByRole('region', { name: `Latency of ${query}` })
  }

  /** One number of the chosen query, by its name. */
  fact(query: string, name: string): Locator {
    return this.detail(query)
      .locator('dl > div')
      .filter({ has: this.page.getByText(name, { exact: true }) })
      .getByRole('definition')
  }

  async choose(query: string): Promise<void> {
    await this.query(query).getByRole('button').click()
    await this.detail(query).waitFor()
  }

  /** Starts a burst of executions of the chosen query, and does not wait for its end. */
  async runBurst(executions: number): Promise<void> {
    await this.burst.getByLabel('Executions').fill(String(executions))
    await this.burst.getByRole('button', { name: 'Run a burst' }).click()
  }

  get burstState(): Locator {
    return this.burst.getByRole('status', { name: 'Burst state' })
  }

  /** Saves an SLO of the chosen query: so many percent faster than a threshold, in each interval. */
  async promise(slo: { percent: number; milliseconds: number; seconds: number }): Promise<void> {
    const form = this.page.getByRole('form', { name: 'SLO' })
    await form.getByLabel('SLO quantile').fill(String(slo.percent))
    await form.getByLabel('SLO threshold').fill(String(slo.milliseconds))
    await form.getByLabel('SLO interval').fill(String(slo.seconds))
    await form.getByRole('button', { name: 'Save SLO' }).click()
  }

  /** The sentence that states the saved SLO, or says that there is none. */
  get promised(): Locator {
    return this.page.getByRole('form', { name: 'SLO' }).getByText(/^(Promised:|No SLO yet)/)
  }

  /** Removes the SLO of the chosen query. */
  async withdraw(): Promise<void> {
    await this.page.getByRole('form', { name: 'SLO' }).getByRole('button', { name: 'Remove SLO' }).click()
  }

  async showAsTable(): Promise<void> {
    await this.page.getByRole('group', { name: 'View of the dashboard' }).getByRole('button', { name: 'Table' }).click()
  }

  get table(): Locator {
    return this.page.getByRole('table', { name: 'Predicted and observed latency' })
  }
}
