// Somebody chooses a sheet of prices for an environment, and sees $ beside a bound and in a request.
import { expectNoObjections } from '../axe.ts'
import { expect, test } from '../fixtures.ts'
import { look } from '../pictures.ts'

const BOUNDS = '/applications/scadr/development?file=schema.piql&query=thoughtstream&panel=bounds'

test('a sheet of prices puts $ beside each bound, and beside what a request changes', async ({
  workbench,
  page,
  api,
}) => {
  await api.deploy()
  await page.setViewportSize({ width: 1024, height: 768 })
  await workbench.open(BOUNDS)
  await expect(page.getByText('No price for this store')).toBeVisible()

  await page.getByRole('button', { name: /^Environments of/ }).click()
  await page
    .getByRole('button', { name: /^Change / })
    .first()
    .click()
  const form = page.getByRole('dialog', { name: /^Change / })
  await form.getByLabel('Prices', { exact: true }).selectOption({ label: 'my own: paid by the request' })
  await form.getByLabel('Whose prices').fill('Our provider')
  await form.getByLabel('Since').fill('May 2026')
  await form.getByLabel('1,000,000 reads').fill('1')
  const save = form.getByRole('button', { name: 'Save changes' })
  await expect(save).toBeDisabled()
  await form.getByLabel('1,000,000 writes').fill('5')
  await form.getByLabel('Name').focus() // at the top of the form: the buttons stay in sight nevertheless
  await expect(save).toBeInViewport({ ratio: 1 })
  await expectNoObjections(page, 'the prices of an environment', 'dialog[open]')
  await look(page, 'environment-prices')
  await save.click()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()

  await page.setViewportSize({ width: 1440, height: 900 })
  await workbench.open(BOUNDS)
  const price = page.getByRole('region', { name: 'Price' })
  await expect(price).toContainText('≤ $0.101')
  await expect(price).toContainText('Our provider, May 2026')
  await price.getByLabel('Executions a second').fill('10')
  await expect(price).toContainText('≤ $2,657') // 101 reads at 10 a second for a month
  await expectNoObjections(page, 'a price beside a bound')
  await look(page, 'bounds-price')

  await workbench.open('/applications/scadr/development?file=schema.piql&panel=deploy')
  await workbench.editor.typeOver('schema.piql', 'LIMIT 100', 'LIMIT 110')
  await expect(workbench.deploy.state).toContainText('Every query is bounded')
  await expect(workbench.deploy.content).toContainText('≤ $0.111')
  await look(page, 'deploy-price')
})
