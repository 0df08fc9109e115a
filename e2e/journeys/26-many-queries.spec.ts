// A dashboard of hundreds of queries: what is in danger is first, the counts add up, and one query is found by its name.
import { expectNoObjections } from '../axe.ts'
import { expect, test } from '../fixtures.ts'
import { fateOf, manyQueries, nameOf } from '../many-queries.ts'
import { patience } from '../patience.ts'

test.describe.configure({ timeout: 300_000 * patience })

const COUNT = 300
const OF_SCADR = 12
const DANGERS = ['failing', 'limit', 'burning', 'broken']

test('300 queries: what is in danger is first, and one is found by its name', { tag: '@long' }, async ({
  workbench,
  api,
  page,
}) => {
  const { dashboard } = workbench
  await manyQueries(api, COUNT)
  const numbers = Array.from({ length: COUNT }, (_, number) => number)
  const withFate = (...fates: string[]) => numbers.filter((number) => fates.includes(fateOf(number))).length

  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto('/applications/scadr/development/dashboard')
  const states = page.getByRole('group', { name: 'State', exact: true })
  await expect(states.getByRole('button', { name: `all ${COUNT + OF_SCADR}` })).toBeVisible()
  await expect(states.getByRole('button', { name: `in danger ${withFate(...DANGERS)}` })).toBeVisible()
  await expect(states.getByRole('button', { name: `not executed ${withFate('idle') + OF_SCADR}` })).toBeVisible()
  const labels = await states.getByRole('button').allTextContents()
  const [all = 0, ...parts] = labels.map((label) => Number(/\d+$/.exec(label)?.[0]))
  expect(parts.reduce((sum, count) => sum + count)).toBe(all)

  const verdicts = await dashboard.queries.allTextContents()
  const order = ['failing', 'limit passed', 'burning its budget', 'SLO broken']
  const first = verdicts.slice(0, withFate(...DANGERS)).map((text) => order.findIndex((word) => text.includes(word)))
  expect(first).toEqual(first.toSorted((a, b) => a - b))
  expect(first).not.toContain(-1)

  await states.getByRole('button', { name: /^in danger/ }).click()
  await expect(dashboard.queries).toHaveCount(withFate(...DANGERS))
  await expect(page).toHaveURL(/state=danger/)
  await states.getByRole('button', { name: /^all/ }).click()

  const idle = nameOf(numbers.findLast((number) => fateOf(number) === 'idle') ?? 0)
  await page.getByLabel('Filter by name').fill(idle.slice(-4))
  await dashboard.choose(idle)
  await expect(dashboard.detail(idle)).toBeInViewport()
  await expect(dashboard.detail(idle)).toContainText('Not executed in this window')
  await expect(states.getByRole('button', { name: 'all 1', exact: true })).toBeVisible()
  await expectNoObjections(page, 'dashboard with a filter')

  await page.getByLabel('Filter by name').fill('nothing has this name')
  await expect(page.getByText('None of the 312 queries matches.')).toBeVisible()
  await page.getByRole('button', { name: 'Show all' }).click()
  await dashboard.showAsTable()
  await expect(dashboard.table.getByRole('row')).toHaveCount(COUNT + OF_SCADR + 1)
  await expect(dashboard.table.getByRole('row').nth(1)).toContainText('failing')
})
