// The home page: all applications and what is live in each.
import { expectNoObjections } from '../axe.ts'
import { expect, test } from '../fixtures.ts'
import { look } from '../pictures.ts'

test('an address that leads nowhere says so, and leads on', async ({ workbench, page }) => {
  await page.goto('/applications/scadr/development/nowhere')
  await expect(page.getByRole('status').filter({ hasText: 'nothing at' })).toContainText(
    'There is nothing at /applications/scadr/development/nowhere.',
  )
  await page.getByRole('link', { name: 'SCADr' }).first().click()
  await expect(workbench.editor.lines.first()).toBeVisible()
  await expect(page).toHaveURL(/\/applications\/scadr\/development(\?|$)/)
  await page.getByRole('link', { name: 'PIQL' }).click()
  await expect(page.getByText('There is nothing at')).toHaveCount(0)
})

test('all applications are listed with what is live in them', async ({ page }) => {
  await page.goto('/')
  const rows = page.getByRole('table', { name: 'Applications' }).getByRole('row')
  await expect(page.getByRole('heading', { level: 1 })).toContainText('applications')
  await expect(rows.filter({ hasText: 'SCADr' })).toContainText(/\d+ queries/)
  await expect(rows.filter({ hasText: 'SCADr' })).toContainText(/no executions yet|no SLO|kept|broken|too few/)
  await expect(rows.filter({ hasText: 'TPC-W' })).toContainText(/Version \d+/)
  await expectNoObjections(page, 'the page of all applications')
  await look(page, 'home')
  await page.getByRole('button', { name: 'New application' }).click()
  await expect(page.getByRole('dialog', { name: 'New application' })).toBeVisible()
})
