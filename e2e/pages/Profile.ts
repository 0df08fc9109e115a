import { readFile } from 'node:fs/promises'
import type { Locator, Page } from '@playwright/test'
import { Panel } from './Panel.ts'

interface RunSettings {
  /** Also the name by which the run is found in the panel. */
  label: string
  intervalSeconds: number
  intervals: number
}

/** The panel Profile: the form of a new profile run, and a card for each run. */
export class Profile extends Panel {
  private readonly form: Locator
  readonly startButton: Locator

  constructor(page: Page) {
    super(page, 'Profile')
    this.form = this.content.getByRole('form', { name: 'New profile run' })
    this.startButton = this.form.getByRole('button', { name: 'Start run' })
  }

  /** Starts a run over the small grid, and does not wait for it. */
  async start({ label, intervalSeconds, intervals }: RunSettings): Promise<ProfileRun> {
    const form = this.form
    await form.getByLabel('Label').fill(label)
    await form.getByLabel('Grid').selectOption('small')
    await form.getByLabel('Interval', { exact: true }).fill(String(intervalSeconds))
    await form.getByLabel('Intervals').fill(String(intervals))
    await this.startButton.click()
    return this.run(label)
  }

  /** Makes a run of an HdrHistogram log; the run is called as the file. */
  async importLog(name: string, text: string): Promise<ProfileRun> {
    const file = { name: `${name}.hlog`, mimeType: 'text/plain', buffer: Buffer.from(text) }
    await this.content.getByLabel('HdrHistogram log', { exact: true }).setInputFiles(file)
    return this.run(name)
  }

  async chooseOwnGrid(): Promise<void> {
    await this.form.getByLabel('Grid').selectOption('own')
  }

  /** The levels of one dimension of a grid of one's own. */
  levels(operator: string, dimension: string): Locator {
    return this.form.getByRole('group', { name: operator, exact: true }).getByLabel(dimension)
  }

  run(label: string): ProfileRun {
    return new ProfileRun(this.content.getByRole('article', { name: label, exact: true }), label)
  }
}

/** The card of one profile run. */
export class ProfileRun {
  readonly progress: Locator
  readonly operators: Locator

  constructor(
    readonly card: Locator,
    private readonly label: string,
  ) {
    this.progress = card.getByRole('progressbar', { name: `Progress of ${label}` })
    this.operators = card
      .getByRole('table', { name: `Operators measured by ${label}` })
      .locator('tbody')
      .getByRole('row')
  }

  state(name: 'queued' | 'starting' | 'running' | 'cancelling' | 'cancelled' | 'failed' | 'done'): Locator {
    return this.card.getByText(name, { exact: true })
  }

  async cancel(): Promise<void> {
    await this.card.getByRole('button', { name: `Cancel ${this.label}` }).click()
  }

  /** Asks for the run to be deleted, and answers the question that follows. */
  async remove(answer: 'Keep it' | 'Delete run'): Promise<void> {
    await this.card.getByRole('button', { name: `Delete ${this.label}` }).click()
    await this.card.getByRole('dialog').getByRole('button', { name: answer }).click()
  }

  /** Downloads the histograms of a run that is done, and returns their log. */
  async downloadLog(): Promise<string> {
    const started = this.card.page().waitForEvent('download')
    await this.card.getByRole('button', { name: `Download the histograms of ${this.label}` }).click()
    return readFile(await (await started).path(), 'utf8')
  }

  async showHeatmap(): Promise<void> {
    await this.card.getByRole('button', { name: `Heatmap of ${this.label}` }).click()
  }
}
