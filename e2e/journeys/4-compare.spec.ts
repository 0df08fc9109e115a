// Comparing observed with predicted latency after a burst of executions, and SLOs that are kept, removed, exported and
// imported.
import { readFile } from 'node:fs/promises'

import { expect, test } from '../fixtures.ts'
import { patience } from '../patience.ts'
import { looks, picture } from '../pictures.ts'

test.describe.configure({ timeout: 300_000 * patience })

test('a burst shows the observed p99 beside the predicted one, and whether the promise is kept', async ({
  workbench,
  api,
  page,
}) => {
  const { deploy, dashboard } = workbench
  const run = await api.measuredRun()
  await workbench.open('/applications/scadr/development?query=thoughtstream&panel=deploy')
  await deploy.predictFrom(run)
  await deploy.button.click()
  await expect(deploy.versions.first()).toContainText(run)

  await workbench.openDashboardPage()
  await expect(page).toHaveURL(/\/dashboard/)
  await dashboard.choose('thoughtstream')
  const before = Number(await dashboard.fact('thoughtstream', 'Executions').textContent()) // an earlier burst counts too
  await expect(dashboard.fact('thoughtstream', 'Predicted p99')).toContainText('ms')

  await dashboard.promise({ percent: 99, milliseconds: 2000, seconds: 600 })
  await workbench.expectNotice('The SLO of thoughtstream is saved.')
  await dashboard.runBurst(300)
  await expect(dashboard.burstState).toContainText('done: 300 of 300', { timeout: 120_000 * patience })
  await expect(dashboard.fact('thoughtstream', 'Executions')).toHaveText(String(before + 300))
  await expect(dashboard.fact('thoughtstream', 'Predicted p99')).toContainText(/^≈ .*for \d+ requests, \d+ rows$/)
  await expect(dashboard.fact('thoughtstream', 'At the limits')).toContainText('for 101 requests, 50 rows')
  await expect(dashboard.fact('thoughtstream', 'Observed p99')).toContainText('ms')
  await expect(dashboard.fact('thoughtstream', 'SLO')).toHaveText('SLO kept in 100 %')
  await expect(dashboard.fact('thoughtstream', 'Predicted within 2.00 s')).toContainText(/^≈ .*for what ran/)
  await expect(dashboard.detail('thoughtstream')).toContainText(/Within 2\.00 s: 100 %, predicted ≈ /)
  await expect(dashboard.detail('thoughtstream')).toContainText('The shaded part counts as predicted.')
  await expect(dashboard.detail('thoughtstream')).toContainText('of the 72 hours that a comparison takes')
  await expect(dashboard.fact('thoughtstream', 'Operations')).toContainText('of ≤ 101')
  await expect(dashboard.fact('thoughtstream', 'Failures')).toHaveText('0')

  await dashboard.choose('findUser')
  await dashboard.promise({ percent: 99, milliseconds: 0.0001, seconds: 600 })
  await dashboard.runBurst(300)
  await expect(dashboard.fact('findUser', 'SLO')).toHaveText('SLO kept in 0 %', { timeout: 120_000 * patience })
  await expect(dashboard.query('findUser')).toContainText('burning its budget')
  await expect(dashboard.queries.first()).toContainText('findUser')
  await dashboard.choose('thoughtstream')
  await workbench.dismissNotices()
  await picture(page, 'dashboard')
  await looks(page, 'dashboard', 'thoughtstream')

  await dashboard.showAsTable()
  await looks(page, 'dashboard-table', 'thoughtstream')
  await expect(dashboard.table.getByRole('row', { name: /thoughtstream/ })).toContainText('100 %')
  await expect(dashboard.table.getByRole('row', { name: /findUser/ })).toContainText('0 %')

  await expect(dashboard.promised).toHaveText('Promised: 99 % under 2.00 s in each 10 min.')
  await dashboard.withdraw()
  await expect(dashboard.fact('thoughtstream', 'SLO')).toHaveText('no SLO')
  await expect(dashboard.promised).toContainText('No SLO yet.')
  await workbench.dismissNotices()
  await page.getByRole('button', { name: 'Earlier notices' }).click()
  await page.getByRole('dialog', { name: 'Notices' }).getByRole('button', { name: 'Put it back' }).click()
  await page.keyboard.press('Escape')
  await expect(dashboard.fact('thoughtstream', 'SLO')).toHaveText('SLO kept in 100 %')
})

test('a burst of a query that writes asks before it changes the data', async ({ workbench, page }) => {
  const { dashboard } = workbench
  await page.goto('/applications/scadr/development/dashboard?query=postThought')
  await expect(dashboard.burst.getByRole('button', { name: 'Run a burst' })).toBeDisabled()
  await dashboard.burst.getByLabel('This query writes: let the burst change the data').check()
  await dashboard.runBurst(20)
  await expect(dashboard.burstState).toContainText('done: 20 of 20', { timeout: 60_000 * patience })
})

test('SLOs go out as rules for Prometheus', async ({ workbench, page }) => {
  const { dashboard } = workbench
  await page.goto('/applications/scadr/development/dashboard?query=myThoughts')
  await dashboard.promise({ percent: 99, milliseconds: 75, seconds: 600 })
  await workbench.expectNotice('The SLO of myThoughts is saved.')
  const leaving = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export Prometheus rules' }).click()
  const file = await leaving
  expect(file.suggestedFilename()).toBe('slos.rules.yaml')
  const text = await readFile(await file.path(), 'utf8')
  expect(text).toContain(
    'piql:slo_broken:ratio_rate1h{application="scadr", environment="development", query="myThoughts"} >= 0.144',
  )
})

test('SLOs go out as OpenSLO documents and come in again', async ({ workbench, page }) => {
  const { dashboard } = workbench
  await page.goto('/applications/scadr/development/dashboard?query=myThoughts')
  await dashboard.promise({ percent: 99, milliseconds: 75, seconds: 600 })
  await workbench.expectNotice('The SLO of myThoughts is saved.')
  const leaving = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export SLOs' }).click()
  const file = await leaving
  expect(file.suggestedFilename()).toBe('slos.yaml')
  const text = await readFile(await file.path(), 'utf8')
  expect(text).toContain('apiVersion: openslo/v1')

  const changed = (from: string, to: string) => ({
    name: 'slos.yaml',
    mimeType: 'application/yaml',
    buffer: Buffer.from(text.replace(from, to)),
  })
  await page.getByLabel('OpenSLO file').setInputFiles(changed('value: 75.0', 'value: 80.0'))
  await workbench.expectNotice(/SLOs? (is|are) imported/)
  await page.reload()
  await expect(page.getByLabel('SLO threshold')).toHaveValue('80')

  await page.getByLabel('OpenSLO file').setInputFiles(changed('op: lte', 'op: gte'))
  await expect(page.getByText('op is lte or lt')).toBeVisible()
  await expect(page.getByLabel('SLO threshold')).toHaveValue('80')
})
