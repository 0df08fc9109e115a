// The page of all applications: made, opened, renamed, archived and deleted, with the switcher between them.
import { expectNoObjections } from '../axe.ts'
import { expect, test } from '../fixtures.ts'
import { look } from '../pictures.ts'

test('an application is made, opened, renamed, archived and deleted', async ({ page }) => {
  await page.goto('/')
  const rows = page.getByRole('table', { name: 'Applications' }).getByRole('row')
  await expect(page.getByRole('heading', { level: 1 })).toContainText('applications')
  await expect(rows.filter({ hasText: 'SCADr' })).toContainText('12 queries')
  await expect(rows.filter({ hasText: 'TPC-W' })).toContainText('Version 1')
  await expectNoObjections(page, 'the page of all applications')
  await look(page, 'home')

  await page.getByRole('button', { name: 'New application' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('My shop')
  await page.getByRole('button', { name: 'Make it' }).click()
  await expect(page).toHaveURL(/\/applications\/my-shop\/development/)
  await expect(page.getByRole('combobox', { name: 'Application' })).toHaveValue('my-shop')

  await page.getByRole('combobox', { name: 'Application' }).selectOption('TPC-W')
  await expect(page).toHaveURL(/\/applications\/tpcw\/development/)
  await expect(page.getByRole('list', { name: 'Queries', exact: true }).getByRole('listitem').first()).toBeVisible()

  await page.getByRole('link', { name: 'PIQL' }).click()
  await page.getByRole('button', { name: 'Rename My shop' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Our shop')
  await page.getByRole('button', { name: 'Rename', exact: true }).click()
  await page.getByRole('button', { name: 'Archive Our shop' }).click()
  await page.getByRole('button', { name: 'Archive: 1 application' }).click()
  await page.getByRole('button', { name: 'Delete Our shop' }).click()
  await expect(page.getByRole('button', { name: 'Delete application' })).toBeDisabled()
  await page.getByLabel('Type my-shop to delete it').fill('my-shop')
  await page.getByRole('button', { name: 'Delete application' }).click()
  await expect(page.getByText('Our shop')).toHaveCount(0)
})
