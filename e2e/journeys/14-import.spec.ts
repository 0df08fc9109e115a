// Applications that come from elsewhere: what they bring is shown before anything is made.
import { expectNoObjections } from '../axe.ts'
import { expect, test } from '../fixtures.ts'
import { look } from '../pictures.ts'

const MYSQL = `CREATE TABLE customers (id INT AUTO_INCREMENT PRIMARY KEY, mail VARCHAR(100) NOT NULL UNIQUE);
CREATE TABLE orders (id BIGINT PRIMARY KEY, customer_id INT NOT NULL, note TEXT,
  FOREIGN KEY (customer_id) REFERENCES customers (id));
CREATE TRIGGER audit BEFORE DELETE ON orders FOR EACH ROW SET @deleted = 1;`
const NARROW = { width: 390, height: 844 }

test('an exported application comes back under another name, after a look at what it brings', async ({
  workbench,
  page,
}) => {
  await page.goto('/')
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export SCADr' }).click()
  const archive = await (await download).path()

  await page.getByRole('button', { name: 'New application' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Start from').selectOption({ label: 'An archive that was exported' })
  await dialog.getByLabel('Archive').setInputFiles({
    name: 'scadr.zip',
    mimeType: 'application/zip',
    buffer: Buffer.from('no archive'),
  })
  await dialog.getByRole('button', { name: 'Preview' }).click()
  await expect(dialog.getByRole('alert')).toBeVisible()
  await dialog.getByLabel('Archive').setInputFiles(archive)
  await dialog.getByRole('button', { name: 'Preview' }).click()
  await expect(dialog.getByRole('status').first()).toContainText('13 files')
  await look(page, 'import-of-an-archive')
  await expectNoObjections(page, 'the preview of an archive')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Came back')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await expect(page).toHaveURL(/\/applications\/came-back\/development/)
  await expect(workbench.application.query('thoughtstream')).toContainText('≤ 101 ops')
  expect((await page.request.delete('/api/applications/came-back?name=came-back')).ok()).toBe(true)
})

test('a schema of another database is translated, and what was left out is said with its reason', async ({
  workbench,
  page,
}) => {
  await page.goto('/')
  await page.getByRole('button', { name: 'New application' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('From MySQL')
  await dialog.getByLabel('Start from').selectOption({ label: 'A schema in SQL or CQL' })
  await dialog.getByLabel('Schema').fill(MYSQL)
  await dialog.getByRole('button', { name: 'Preview' }).click()
  const notes = dialog.getByRole('table', { name: 'Changed and left out' })
  await expect(notes).toContainText('TRIGGER')
  await look(page, 'import-of-a-schema')
  await page.setViewportSize(NARROW)
  await look(page, '390-import-of-a-schema')
  await dialog.getByRole('button', { name: 'Back' }).click()
  await expect(dialog.getByLabel('Schema')).toHaveValue(MYSQL)
  await dialog.getByRole('button', { name: 'Preview' }).click()
  await dialog.getByRole('button', { name: 'Create' }).click()
  await expect(page).toHaveURL(/\/applications\/from-mysql\/development/)
  await page.setViewportSize({ width: 1440, height: 900 })
  await expect(workbench.application.table('orders')).toBeVisible()
  expect((await page.request.delete('/api/applications/from-mysql?name=from-mysql')).ok()).toBe(true)
})
