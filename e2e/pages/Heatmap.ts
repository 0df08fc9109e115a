import { expect, type Locator, type Page } from '@playwright/test'
import { Panel } from './Panel.ts'

/** The panel Heatmap: the predicted latency of a query over two of its limits, or over one as a curve. */
export class Heatmap extends Panel {
  readonly map: Locator
  /** The line between limits that keep the SLO and limits that break it. */
  readonly contour: Locator
  /** The sentence about the cell that the arrow keys are at. */
  readonly cell: Locator
  /** The part about the cell that was chosen with Enter. */
  readonly chosen: Locator
  /** The part about the region that was dragged over the map. */
  readonly region: Locator
  readonly largestSafe: Locator
  readonly threshold: Locator
  readonly quantile: Locator
  /** Says whether the SLO in the form is saved for the query, or only tried. */
  readonly ofTheQuery: Locator
  /** The chosen profile run. */
  readonly run: Locator
  readonly table: Locator
  /** The parts of the predicted p99 under the limits in the text. */
  readonly anatomy: Locator
  /** Every limit of the application, with the largest value that keeps the SLO. */
  readonly allLimits: Locator
  /** The queries of a page, each with its cost alone and as a part of the page. */
  readonly queriesOfPage: Locator

  constructor(page: Page) {
    super(page, 'Heatmap')
    this.map = this.content.getByRole('application', { name: /^Predicted latency of/ })
    this.contour = this.map.locator('path').first()
    this.cell = this.content.getByRole('status', { name: 'Cell' })
    this.chosen = this.content.getByRole('region', { name: 'Chosen cell' })
    this.region = this.content.getByRole('region', { name: 'Chosen region' })
    this.largestSafe = this.content
      .getByRole('region', { name: 'Largest limits that keep the SLO' })
      .getByRole('button')
    this.threshold = this.content.getByLabel('SLO threshold')
    this.ofTheQuery = this.content.getByRole('status', { name: 'SLO of the query' })
    this.quantile = this.content.getByLabel('SLO quantile')
    this.run = this.content.getByLabel('Profile run').locator('option:checked')
    this.table = this.content.getByRole('table', { name: /^Predicted latency/ })
    this.anatomy = this.content.getByRole('region', { name: 'The limits in the text' })
    this.queriesOfPage = this.content.getByRole('table', { name: 'Queries of the page' })
    this.allLimits = this.content.getByRole('table', { name: 'Largest limits that keep the SLO' })
  }

  /** Predicts a page of several queries, such as `a, b | c`: first a, then b and c together. */
  async predictPage(queries: string): Promise<void> {
    const form = this.content.getByRole('form', { name: 'Page of several queries' })
    if (!(await form.isVisible())) await this.content.getByText('A page of several queries').click()
    await form.getByLabel('Queries').fill(queries)
    await form.getByRole('button', { name: 'Predict the page' }).click()
  }

  async solveForAllLimits(): Promise<void> {
    await this.content.getByText('All limits of this application').click()
  }

  async choose(choices: { query?: string; x?: string; y?: string }): Promise<void> {
    if (choices.query) await this.content.getByLabel('Query', { exact: true }).selectOption(choices.query)
    if (choices.x) await this.axis('X').selectOption(choices.x)
    if (choices.y) await this.axis('Y').selectOption(choices.y)
  }

  axis(name: 'X' | 'Y'): Locator {
    return this.content.getByLabel(`${name} axis`)
  }

  /** Types a threshold of the SLO; nothing is saved. */
  async promise({ milliseconds }: { milliseconds: number }): Promise<void> {
    await this.threshold.fill(String(milliseconds))
  }

  /** The numbers of all cells, from the table view, smallest first. */
  async predictedMilliseconds(): Promise<number[]> {
    await this.content.getByRole('button', { name: 'Table', exact: true }).click()
    const cells = this.table.getByRole('button')
    await expect(cells.first()).toBeVisible()
    const names = await cells.evaluateAll((all) => all.map((cell) => cell.getAttribute('aria-label') ?? ''))
    await this.content.getByRole('button', { name: 'Map', exact: true }).click()
    return names.map(milliseconds).toSorted((a, b) => a - b)
  }

  /** Walks so many cells to the right and up (negative: to the left and down) with the arrow keys, and presses Enter. */
  async chooseCell({ right = 0, up = 0 }: { right?: number; up?: number }): Promise<void> {
    await this.map.focus()
    for (let step = 0; step < Math.abs(right); step += 1)
      await this.page.keyboard.press(right > 0 ? 'ArrowRight' : 'ArrowLeft')
    for (let step = 0; step < Math.abs(up); step += 1) await this.page.keyboard.press(up > 0 ? 'ArrowUp' : 'ArrowDown')
    await this.page.keyboard.press('Enter')
  }

  /** Drags the pointer over the map, between two places in shares of its width and height. */
  async drag(from: [number, number], to: [number, number]): Promise<void> {
    await this.map.scrollIntoViewIfNeeded()
    const box = await this.map.boundingBox()
    if (!box) throw new Error('the map is not on the page')
    const place = ([x, y]: [number, number]) => [box.x + x * box.width, box.y + y * box.height] as const
    await this.page.mouse.move(...place(from))
    await this.page.mouse.down()
    await this.page.mouse.move(...place(to), { steps: 4 })
    await this.page.mouse.up()
  }

  /** Writes the region's largest limits that keep the SLO, and returns them: x and y. */
  async writeLargestOfRegion(): Promise<[number, number]> {
    const button = this.region.getByRole('button', { name: /^Write the largest that keeps the SLO/ })
    const [, x, y] = /: (\d+) × (\d+)/.exec(await button.innerText()) ?? []
    await button.click()
    return [Number(x), Number(y)]
  }

  /** “subscriptions per owner 80 × LIMIT … 40” → 80 and 40. */
  async chosenLimits(): Promise<{ x: number; y: number }> {
    const values = await this.chosen.locator('b').allInnerTexts()
    return { x: Number(values[0]), y: Number(values[1]) }
  }

  async writeIntoText(): Promise<void> {
    await this.chosen.getByRole('button', { name: /^Write .* into the text$/ }).click()
  }
}

/** “…: 12.3 ms, measured, …” → 12.3; not a number if the name has no latency. */
function milliseconds(cellName: string): number {
  const [, number, unit] = /: ([\d.]+) (ms|s),/.exec(cellName) ?? []
  return Number(number) * (unit === 's' ? 1000 : 1)
}
