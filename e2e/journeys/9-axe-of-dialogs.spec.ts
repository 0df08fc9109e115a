// Axe has no objection to what lies outside of the panels of `9-axe.spec.ts`: the home page, routes that lead nowhere,
// and the dialogs and forms of applications, environments, data and schemas. Each test walks through many states.
import type { Page } from '@playwright/test'
import { expectNoObjections } from '../axe.ts'
import { expect, test } from '../fixtures.ts'
import { patience } from '../patience.ts'
import { look } from '../pictures.ts'

const DIALOG = 'dialog[open]'
const PANEL = '[role=tabpanel]'
const NARROW = { width: 1024, height: 768 }

test.describe.configure({ mode: 'parallel', timeout: 240_000 * patience })

test('axe objects to no dialog of the home page', { tag: '@long' }, async ({ page }) => {
  await page.setViewportSize(NARROW)
  await page.goto('/')
  await expect(page.getByRole('table', { name: 'Applications' })).toContainText(/\d+ queries/)
  await expectNoObjections(page, 'the home page on a narrow window')
  for (const asks of ['Rename', 'Duplicate', 'Delete', 'Environments of']) {
    await page.getByRole('button', { name: `${asks} SCADr`, exact: true }).click()
    await expect(page.getByRole('dialog')).toContainText('SCADr')
    await look(page, `1024-home-${asks.toLowerCase().replace(' ', '-')}`)
    await expectNoObjections(page, `${asks} an application`, DIALOG)
    await page.keyboard.press('Escape')
  }
  await page.getByRole('button', { name: 'New application' }).click()
  const dialog = page.getByRole('dialog')
  const start = dialog.getByLabel('Start from')
  for (const source of await start.getByRole('group', { name: 'From elsewhere' }).getByRole('option').allInnerTexts()) {
    await start.selectOption({ label: source })
    await expectNoObjections(page, `a new application from ${source}`, DIALOG)
  }
  await start.selectOption({ label: 'A schema in SQL or CQL' })
  await dialog
    .getByLabel('Schema')
    .fill('CREATE TABLE a (id INT PRIMARY KEY); CREATE TRIGGER b BEFORE DELETE ON a FOR EACH ROW SET @x = 1;')
  await dialog.getByRole('button', { name: 'Preview' }).click()
  await expect(dialog.getByRole('button', { name: 'Back' })).toBeVisible()
  await expectNoObjections(page, 'the preview of a schema', DIALOG)
  await page.keyboard.press('Escape')
})

test('nor to an application that was archived, nor to addresses that lead nowhere', { tag: '@long' }, async ({
  page,
}) => {
  const made = await page.request.post('/api/applications', { data: { title: 'Put away' } })
  expect(made.ok()).toBe(true)
  await page.goto('/')
  await page.getByRole('button', { name: 'Archive Put away' }).click()
  await page.getByRole('button', { name: /^Archive: / }).click()
  await expect(page.getByRole('button', { name: 'Bring Put away back' })).toBeVisible()
  await expectNoObjections(page, 'an archived application')
  expect((await page.request.delete('/api/applications/put-away?name=put-away')).ok()).toBe(true)
  for (const [address, says] of [
    ['/none/at/all', 'There is nothing at'],
    ['/applications/scadr/nowhere', 'There is no environment nowhere in scadr'],
    ['/guide/nothing/here', 'The guide has no page'],
    ['/applications/scadr/development?code=none-such', 'none-such'],
  ] as const) {
    await page.goto(address)
    await expect(page.getByText(says).first()).toBeVisible()
    await expectNoObjections(page, address)
  }
})

test('nor to the forms and dialogs of data', { tag: '@long' }, async ({ workbench, page }) => {
  const { data } = workbench
  await workbench.open('/applications/scadr/development?panel=data')
  await data.table.selectOption('subscriptions')
  await expect(data.rows.first()).toBeVisible()
  await data.grid.getByRole('gridcell').first().focus()
  await page.keyboard.press('Enter')
  await expect(data.form('Edit a row of subscriptions')).toBeVisible()
  await expectNoObjections(page, 'a row that is edited', PANEL)
  await data.button('Delete').click()
  await expect(data.form('Delete a row of subscriptions')).toBeVisible()
  await expectNoObjections(page, 'a row that may be deleted', PANEL)
  await data.button('Headroom').click()
  const headroom = data.content.getByRole('region', { name: 'Headroom of subscriptions' })
  await headroom.getByRole('button', { name: /^Count/ }).click()
  await expect(headroom.getByRole('button', { name: 'Count again' })).toBeVisible()
  await look(page, 'headroom')
  await expectNoObjections(page, 'how full the groups are', PANEL)
  await data.button('Generate').click()
  await expect(data.dialog).toBeVisible()
  await look(page, 'generate')
  await expectNoObjections(page, 'rows that may be generated', DIALOG)
  await page.keyboard.press('Escape')
  await data.button('Import').click()
  await expectNoObjections(page, 'a file to import', DIALOG)
  await page.keyboard.press('Escape')
  await data.filterBy('owner', 'nobody at all')
  await expect(data.content).toContainText('No row has these values.')
  await expectNoObjections(page, 'no rows', PANEL)
  await data.button('SELECT…').click()
  await data.select('SELECT username, hometown FROM users LIMIT 5')
  await expect(data.selected.getByRole('row').nth(1)).toBeVisible()
  await look(page, 'select')
  await expectNoObjections(page, 'the rows of a SELECT', PANEL)
})

test('nor to what the header and the sidebar open', { tag: '@long' }, async ({ workbench, page }) => {
  await workbench.open()
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('button', { name: 'Menu', exact: true }).click()
  await expectNoObjections(page, 'the menu of a narrow header')
  await page.keyboard.press('Escape')
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.getByRole('button', { name: 'Import schema' }).click()
  await expectNoObjections(page, 'a schema of another database', DIALOG)
  await page.keyboard.press('Escape')
  await addEnvironment(page)
  await page.getByRole('button', { name: 'Environments of SCADr' }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Remove Trial/ })
    .click()
  await expect(page.getByRole('dialog').getByLabel('Type trial to remove it')).toBeVisible()
  await expectNoObjections(page, 'an environment that may be removed', DIALOG)
  await page.keyboard.press('Escape')
  await workbench.open('/applications/scadr/trial')
  for (const panel of ['Deploy', 'Data', 'Run', 'Dashboard', 'History'] as const) {
    await workbench.openPanel(panel)
    await expectNoObjections(page, `${panel} of an environment with nothing live`, PANEL)
  }
  await page.request.delete('/api/applications/scadr/trial?name=trial&deletes_data=true')
})

async function addEnvironment(page: Page): Promise<void> {
  const answer = await page.request.post('/api/applications/scadr/environments', {
    data: { title: 'Trial', store: { url: 'embedded' } },
  })
  expect(answer.ok(), await answer.text()).toBe(true)
}
