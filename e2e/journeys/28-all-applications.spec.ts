// One dashboard over all applications: what is in danger in any of them, and the way from there to the query.
import { expectNoObjections } from '../axe.ts'
import { expect, test } from '../fixtures.ts'
import { patience } from '../patience.ts'
import { look } from '../pictures.ts'

test('what is in danger in any application is on one page, and leads to its details', async ({ api, page }) => {
  test.setTimeout(120_000 * patience)
  await api.promise(['findUser'], { quantile: 0.5, threshold_ms: 0.0001, interval_seconds: 3600 })
  for (let count = 0; count < 3; count += 1) await api.execute('findUser', { username: 'ada_bell' })
  await page.goto('/')
  await page.getByRole('link', { name: 'What is in danger' }).click()
  await expect(page).toHaveURL(/\/overview$/)
  await expect(page.getByRole('status').filter({ hasText: 'in danger' })).toHaveText(
    '1 query is in danger in 1 of 2 applications.',
  )
  const danger = page.getByRole('table', { name: 'In danger' })
  await expect(danger.getByRole('row', { name: /findUser/ })).toContainText('SCADr')
  const places = page.getByRole('table', { name: 'Environments' })
  await expect(places.getByRole('row').nth(1)).toContainText('1 in danger')
  await expect(places.getByRole('row').nth(2)).toContainText('TPC-W')
  await look(page, 'overview')
  await expectNoObjections(page, 'the dashboard over all applications')

  await page.getByLabel('Names of applications or environments').fill('tpcw, chat')
  await expect(page).toHaveURL(/named=tpcw/)
  await expect(places.getByRole('row')).toHaveCount(2)
  await expect(danger).toBeHidden()
  await page.getByLabel('Names of applications or environments').fill('')
  await danger.getByRole('link', { name: 'findUser' }).click()
  await expect(page.getByRole('region', { name: 'Latency of findUser' })).toBeVisible()
})
