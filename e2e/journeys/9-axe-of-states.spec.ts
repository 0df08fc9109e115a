// Axe has no objection to what a screen shows while it waits, when its server does not answer, and when budgets burn.
import { expectNoObjections } from '../axe.ts'
import { expect, test } from '../fixtures.ts'
import { patience } from '../patience.ts'
import { look } from '../pictures.ts'

const DEVELOPMENT = '/applications/scadr/development'
const PANEL = '[role=tabpanel]'

test.describe.configure({ mode: 'parallel', timeout: 240_000 * patience })

test('axe objects to no screen that waits for its server, and to none whose server is away', { tag: '@long' }, async ({
  workbench,
  page,
}) => {
  const { dashboard, deploy, editor } = workbench
  await workbench.open(`${DEVELOPMENT}?query=thoughtstream&file=schema.piql&panel=bounds`)
  const answers: (() => void)[] = []
  await page.route(/\/development\/(deployments|profile-runs|predictions|tables|latency|runs|saves)/, async (route) => {
    await new Promise<void>((resolve) => answers.push(resolve))
    await route.abort()
  })
  for (const panel of ['Profile', 'Heatmap', 'Data', 'Dashboard'] as const) {
    await workbench.openPanel(panel)
    await expectNoObjections(page, `${panel} while it waits`, PANEL)
  }
  for (const answer of answers) answer()
  await page.unrouteAll({ behavior: 'ignoreErrors' })

  await page.route('**/api/**', (route) => route.abort())
  await editor.typeOver('schema.piql', 'LIMIT 100', 'LIMIT 101')
  await expect(workbench.banner).toContainText('your text is safe here')
  await look(page, 'server-down')
  await expectNoObjections(page, 'the server is away')
  for (const panel of [workbench.history, workbench.data, deploy]) {
    await panel.open()
    await expectNoObjections(page, 'a panel whose server is away', PANEL)
  }
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await expect(workbench.banner).toHaveCount(0)

  const failure = { code: 'internal', message: 'The backend failed; its log says where.', help: null }
  await page.route(/\/development\/.*latency/, (route) => route.fulfill({ status: 500, json: failure }))
  await page.goto(`${DEVELOPMENT}/dashboard`)
  await expect(page.getByRole('alert').first()).toBeVisible()
  await expectNoObjections(page, 'a dashboard that failed')
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.reload()
  await expect(dashboard.queries.first()).toBeVisible()
})

test('nor to budgets that burn, as rows and as a table whose rows take one line each', { tag: '@long' }, async ({
  workbench,
  page,
}) => {
  const { dashboard } = workbench
  await page.route(/\/api\/.*\/latency/, async (route) => {
    const answer = await route.fetch()
    const latency = await answer.json()
    for (const query of latency.queries ?? []) Object.assign(query, BURNING)
    await route.fulfill({ response: answer, json: latency })
  })
  await page.goto(`${DEVELOPMENT}/dashboard`)
  await expect(dashboard.query('thoughtstream')).toContainText('burning its budget')
  await expect(dashboard.query('thoughtstream')).toContainText('in time: 96.99 % of ≈ 98.75 to 99.25 %')
  await expect(dashboard.query('thoughtstream')).toContainText('kept less than predicted')
  await look(page, 'burning')
  await expectNoObjections(page, 'budgets that burn')
  await dashboard.showAsTable()
  const row = dashboard.table.getByRole('row', { name: /thoughtstream/ })
  await expect(row).toContainText('used 14.4 times')
  await look(page, 'burning-table')
  await expectNoObjections(page, 'budgets that burn, as a table')
  expect((await row.boundingBox())?.height).toBeLessThan(40)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

const BURN = {
  long_seconds: 3600,
  short_seconds: 300,
  long_rate: 14.4,
  short_rate: 20,
  threshold: 14.4,
  is_burning: true,
}
const BURNING = {
  executions: 148_148_136,
  most_operations: 100,
  observed: { p50_ms: 12.3, p99_ms: 14_800, p999_ms: 23_456, p99_low_ms: 13_200, p99_high_ms: 16_800 },
  slo: { quantile: 0.99, threshold_ms: 500, interval_seconds: 600 },
  compliance: {
    share: 0.97,
    executions: 1000,
    within: 970,
    intervals: 6,
    kept: 5,
    within_low: 0.96,
    within_high: 0.98,
  },
  budget: { left: -13.4, allowed: 100, burns: [BURN] },
  predicted_compliance: {
    at_limits: 0.9801,
    agreement: {
      outcome: 'worse',
      executions: 148_148_136,
      within: 143_703_691,
      within_low: 0.9699,
      within_high: 0.9701,
      predicted: 0.9875,
      predicted_most: 0.9925,
      least: 0.98,
      most: 0.9975,
      needed: null,
      error: 0.05,
    },
  },
}
