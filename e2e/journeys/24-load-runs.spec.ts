// "Does it keep its SLO at two hundred a second?": a load run from the workbench, charts that move while it runs and
// survive a reload, a result that opens again, a run that is cancelled, and writes that are called only when seen.
import { readFile } from 'node:fs/promises'

import type { Page } from '@playwright/test'
import { expectNoObjections } from '../axe.ts'
import { expect, test } from '../fixtures.ts'
import { Dashboard } from '../pages/Dashboard.ts'
import { patience } from '../patience.ts'
import { look, looks, picture } from '../pictures.ts'

const LOAD_RUNS = '/applications/scadr/development/load-runs'

test.describe.configure({ timeout: 400_000 * patience })

test('a load run is started, followed, reloaded, and its result opens again', async ({ api, page }) => {
  await api.measuredRun()
  await api.deployPredicted()
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto('/applications/scadr/development/dashboard?query=findUser')
  await new Dashboard(page).promise({ percent: 99, milliseconds: 20, seconds: 600 })

  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Load runs' }).click()
  await expect(page.getByText('No load run yet')).toBeVisible()
  await page.getByLabel('Calls a second').fill('0')
  await expect(page.getByText('Numbers above 0: 50, or 50, 100, 200 for three steps.')).toBeVisible()
  await expectNoObjections(page, 'the form of a load run with a mistake')
  await page.getByLabel('Label').fill('first')
  await page.getByLabel('Queries').selectOption('Mix scadr')
  await page.getByLabel('Calls a second').fill('20, 40')
  await page.getByLabel('Time of each step').fill('12')
  await page.getByLabel('Stop if').fill('')
  await expect(page.getByText('Takes 24 s, and makes about 720 calls.')).toBeVisible()
  await looks(page, 'load-runs-form', 'Load runs')
  await page.getByRole('button', { name: 'Start on development' }).click()

  await expect(page).toHaveURL(/load-runs\/load-/)
  await chartsMove(page)
  await page.getByLabel('Charts of').selectOption('findUser')
  await expect(page.getByText('SLO p99 20.0 ms')).toBeVisible()
  await expect(page.getByText(/predicted p99 at its limits/)).toBeVisible()
  await look(page, 'load-run-moving')
  await page.reload()
  await chartsMove(page)
  await expectNoObjections(page, 'a load run under way')

  const result = page.getByRole('region', { name: 'Result' })
  await expect(result).toBeVisible({ timeout: 60_000 * patience })
  const steps = result.getByRole('table')
  await expect(steps).toHaveCount(2)
  await expect(steps.first().getByRole('row', { name: /^findUser/ })).toContainText('1/1')
  await expect(result).toContainText('SLO p99 ≤ 20 ms')
  await expectNoObjections(page, 'a load run that is done')
  await page.getByLabel('Charts of').selectOption('findUser')
  await looks(page, 'load-run', 'Result')
  await picture(page, 'load-run')

  const saved = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Page', exact: true }).click()
  expect((await saved).suggestedFilename()).toMatch(/^load-.*\.html$/)

  await page.getByRole('link', { name: 'All load runs' }).click()
  await page.getByRole('list', { name: 'Load runs' }).getByRole('link', { name: 'first' }).click()
  await expect(result).toContainText('Open loop on the store')
})

test('a run is cancelled and keeps what it measured, and two runs are compared', { tag: '@long' }, async ({ page }) => {
  await start(page, { label: 'long', time: '600' })
  await chartsMove(page)
  await page.getByRole('button', { name: 'Cancel the run' }).click()
  await expect(page.getByText('cancelled', { exact: true })).toBeVisible({ timeout: 30_000 * patience })
  await expect(page.getByRole('region', { name: 'Result' })).toContainText('This result is partial')

  await start(page, { label: 'short', time: '3' })
  await expect(page.getByRole('region', { name: 'Result' })).toBeVisible({ timeout: 60_000 * patience })
  await page.getByLabel('Compare with').selectOption('long')
  await expect(page.getByRole('table', { name: 'Two runs compared' })).toContainText('findUser')
  await expect(page.getByText('Not the same: the first run is partial', { exact: false })).toBeVisible()
  await expectNoObjections(page, 'two load runs compared')

  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete run' }).click()
  await expect(page.getByRole('list', { name: 'Load runs' }).getByRole('link', { name: 'short' })).toHaveCount(0)
})

test(
  'a run of the command appears while it goes on, is cancelled here, and its result stays',
  { tag: '@long' },
  async ({ server, page }, info) => {
    const html = info.outputPath('nightly.html')
    const report = `${server.url}/api${LOAD_RUNS.replace('/development', '/environments/development')}`
    const rest = ['--query', 'findUser', '--rate', '30', '--seconds', '300', '--html', html]
    const command = server.piql(['load-test', '--store'], [...rest, '--label', 'nightly', '--report', report])
    const ended = new Promise((resolve) => command.once('exit', resolve))
    await page.goto(LOAD_RUNS)
    await page.getByRole('list', { name: 'Load runs' }).getByRole('link', { name: 'nightly' }).click()
    await expect(page.getByText('by piql load-test', { exact: false })).toBeVisible()
    await chartsMove(page)
    await page.getByRole('button', { name: 'Cancel the run' }).click()
    await expect(page.getByText('cancelled', { exact: true })).toBeVisible({ timeout: 30_000 * patience })
    await expect(page.getByRole('region', { name: 'Result' })).toContainText('This result is partial')
    expect(await ended).toBe(130)
    expect(await readFile(html, 'utf8')).toContain('findUser')
  },
)

test('a query that writes is called only when its effect was seen', async ({ page }) => {
  await page.goto(LOAD_RUNS)
  await page.getByLabel('Queries').selectOption('Chosen, each with a weight')
  await page.getByLabel('Weight of unsubscribe').fill('1')
  const begin = page.getByRole('button', { name: 'Start on development' })
  await expect(begin).toBeDisabled()
  await expectNoObjections(page, 'a load run that would delete')
  await look(page, 'load-runs-writes')
  await page.getByLabel('unsubscribe deletes rows of development for good.').check()
  await expect(begin).toBeEnabled()
  await page.getByLabel('Weight of unsubscribe').fill('')
  await expect(page.getByText('Give at least one query a weight.')).toBeVisible()
})

async function start(page: Page, { label, time }: { label: string; time: string }): Promise<void> {
  await page.goto(LOAD_RUNS)
  await page.getByLabel('Label').fill(label)
  await page.getByLabel('Queries').selectOption('Chosen, each with a weight')
  await page.getByLabel('Weight of findUser').fill('1')
  await page.getByLabel('Calls a second').fill('30')
  await page.getByLabel('Time of each step').fill(time)
  await page.getByRole('button', { name: 'Start on development' }).click()
}

/** Waits until the line of the calls has been drawn and then grows. */
async function chartsMove(page: Page): Promise<void> {
  const line = page
    .getByRole('img', { name: /^Calls a second of/ })
    .locator('path')
    .last()
  await expect(line).toHaveAttribute('d', /L/, { timeout: 60_000 * patience })
  const before = await line.getAttribute('d')
  await expect(line).not.toHaveAttribute('d', before ?? '', { timeout: 20_000 * patience })
}
