// The claims of the papers, tried by the user: one experiment is run, and says what it found beside each claim.
import { expectNoObjections } from '../axe.ts'
import { expect, test } from '../fixtures.ts'
import { patience } from '../patience.ts'

test.describe.configure({ timeout: 180_000 * patience })

test('an experiment is run, and each of its claims gets a verdict', { tag: '@long' }, async ({ page }) => {
  await page.goto('/experiments')
  const list = page.getByRole('list', { name: 'Experiments' })
  const table1 = list
    .getByRole('listitem')
    .filter({ has: page.getByRole('link', { name: 'What the queries of TPC-W and SCADr need' }) })
  await expect(table1).toContainText('not run')
  await expect(table1).toContainText('some seconds')
  await expectNoObjections(page, 'experiments that were not run')

  await table1.getByRole('button', { name: /^Run / }).click()
  await expect(table1.getByText(/^(agrees|disagrees|undecidable)$/)).toBeVisible({ timeout: 120_000 * patience })
  await table1.getByRole('link').click()
  await expect(page).toHaveURL(/\/experiments\/vldb-table-1$/)
  const claims = page.getByRole('table', { name: 'Claims' }).getByRole('row')
  await expect(claims.nth(1)).toContainText(/(agrees|disagrees|undecidable)$/)
  await expect(page.getByText(/^Run \w+ \d+.*, in [\d.]+ s\.$/)).toBeVisible()
  await expectNoObjections(page, 'an experiment with its claims')
  const leaving = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Page' }).click()
  expect((await leaving).suggestedFilename()).toBe('vldb-table-1.html')
})

test('an experiment runs on the store that is chosen, and one that takes none says why', { tag: '@long' }, async ({
  page,
}) => {
  await page.goto('/experiments')
  const choice = page.getByLabel('Run on')
  await expect(choice).toHaveValue('')
  await choice.selectOption('New embedded files')
  const rows = page.getByRole('list', { name: 'Experiments' }).getByRole('listitem')
  const simulated = rows.filter({ hasText: 'Throughput and p99 by nodes' })
  await expect(simulated).toContainText('It takes no store: its nodes are simulated')
  await expect(simulated.getByRole('button', { name: /^Run / })).toBeDisabled()
  await expectNoObjections(page, 'experiments on a store')

  await rows.getByRole('link', { name: 'Pages of a long list' }).click()
  await expect(choice).toHaveValue('embedded')
  await page.getByRole('button', { name: /^Run / }).click()
  await expect(page.getByText(/^Run \w+ \d+.*, in [\d.]+ s, on new embedded files\.$/)).toBeVisible({
    timeout: 120_000 * patience,
  })
  await expect(page.getByText('The store embedded:, reached from this machine')).toBeVisible()
  await expectNoObjections(page, 'an experiment that ran on a store')
})

test('an experiment that does not exist says so', { tag: '@long' }, async ({ page }) => {
  await page.goto('/experiments/unknown')
  await expect(page.getByText('There is no experiment unknown')).toBeVisible()
  await expectNoObjections(page, 'an unknown experiment')
})
