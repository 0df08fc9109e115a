// An application with two environments: added, deployed to, promoted to, looked at apart, and removed.
import type { Page } from '@playwright/test'
import { expectNoObjections } from '../axe.ts'
import { expect, test } from '../fixtures.ts'
import { look, picture } from '../pictures.ts'

const SCHEMA = `CREATE TABLE notes (id INT PRIMARY KEY, text STRING(100));
CREATE QUERY findNote AS SELECT text FROM notes WHERE id = [1: id];
CREATE QUERY addNote AS INSERT INTO notes (id, text) VALUES ([1: id], [2: text]);
`
const WIDE = { width: 1440, height: 900 }
/** Here the panels are laid out anew, which closes what was opened in them. */
const NARROW = { width: 1024, height: 768 }
const APPLICATION = '/api/applications/journey'

test('what is deployed to development is promoted to another environment, which is removed again', {
  tag: '@long',
}, async ({ workbench, page }) => {
  const { deploy } = workbench
  await page.goto('/')
  await page.getByRole('button', { name: 'New application' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Journey')
  await page.getByRole('button', { name: 'Create' }).click()
  await expect(page).toHaveURL(/\/applications\/journey\/development/)
  await writeSchema(page)
  await workbench.open('/applications/journey/development?panel=deploy')
  await deploy.button.click()
  await expect(deploy.versions.first()).toContainText('live')

  await page.getByRole('button', { name: 'Environments of Journey' }).click()
  await page.getByRole('button', { name: 'Add environment' }).click()
  const form = page.getByRole('dialog', { name: 'Add an environment' })
  await form.getByLabel('Name').fill('Production')
  await form.getByLabel('Colour in the header').selectOption('red')
  await form.getByLabel('Store', { exact: true }).selectOption({ label: 'Another file, or a cluster' })
  await form.getByLabel('Address of the store').fill('cql://db9/shop')
  await form.getByLabel('Password from').selectOption({ label: 'a variable' })
  await form.getByLabel('Password: name of the variable').fill('SHOP_PASSWORD')
  await form.getByRole('button', { name: 'Add environment' }).click()
  await expect(form.getByRole('alert')).toContainText('This workbench may not connect to db9:9042.')
  await expectNoObjections(page, 'the form of an environment', 'dialog[open]')
  await inBothThemes(page, 'environment-form')
  await form.getByLabel('Store', { exact: true }).selectOption({ label: 'A file of its own' })
  await form.getByRole('button', { name: 'Add environment' }).click()
  const list = page.getByRole('dialog', { name: 'Environments of Journey' })
  await expect(list.getByRole('row').filter({ hasText: 'Production' })).toContainText('A file of its own')
  await expectNoObjections(page, 'the environments of an application', 'dialog[open]')
  await inBothThemes(page, 'environments')
  await list.getByRole('button', { name: 'Close' }).click()

  await deploy.content.getByRole('button', { name: 'Promote version 1' }).click()
  const promotion = page.getByRole('dialog', { name: 'Promote version 1' })
  await expect(promotion.getByRole('list', { name: 'Changes' })).toContainText('findNote')
  await expectNoObjections(page, 'what a promotion changes', 'dialog[open]')
  await inBothThemes(page, 'promotion', [WIDE])
  await picture(page, 'promote')
  await promotion.getByRole('button', { name: 'Promote to Production' }).click()
  await workbench.expectNotice(/Version 1 of development is (on its way in|live in) Production/)

  await page.getByLabel('Environment', { exact: true }).selectOption({ label: 'Production' })
  await expect(page).toHaveURL(/\/applications\/journey\/production/)
  await workbench.openPanel('Deploy')
  await expect(deploy.versions).toHaveCount(1)
  await expect(deploy.versions.first()).toContainText('live')
  await inBothThemes(page, 'environment-production')
  await deploy.content.getByRole('button', { name: 'Promote version 1' }).click()
  await expect(promotion).toContainText('runs the same queries already')
  await promotion.getByRole('button', { name: 'Cancel' }).click()

  const add = '/deployments/live/queries/addNote/executions'
  const written = await page.request.post(`${APPLICATION}/environments/development${add}`, {
    data: { parameters: { id: 1, text: 'only here' } },
  })
  expect(written.ok()).toBe(true)
  const find = '/deployments/live/queries/findNote/executions'
  for (const [environment, count] of [
    ['development', 1],
    ['production', 0],
  ] as const) {
    const answer = await page.request.post(`${APPLICATION}/environments/${environment}${find}`, {
      data: { parameters: { id: 1 } },
    })
    expect(((await answer.json()) as { rows: unknown[] }).rows).toHaveLength(count)
  }

  await page.getByRole('button', { name: 'Environments of Journey' }).click()
  await list.getByRole('button', { name: 'Remove Production' }).click()
  const removal = page.getByRole('dialog', { name: 'Remove Production?' })
  await expect(removal.getByRole('button', { name: 'Remove environment' })).toBeDisabled()
  await removal.getByLabel('Type production to remove it').fill('production')
  await removal.getByRole('button', { name: 'Remove environment' }).click()
  await expect(page).toHaveURL(/\/applications\/journey\/development/)
  await expect(list.getByRole('button', { name: 'development is the last one, and stays' })).toBeDisabled()
  await list.getByRole('button', { name: 'Close' }).click()
  const deleted = await page.request.delete(`${APPLICATION}?name=journey`)
  expect(deleted.ok(), await deleted.text()).toBe(true)
})

async function writeSchema(page: Page): Promise<void> {
  const application = await page.request.get(APPLICATION)
  const [file] = ((await application.json()) as { files: { path: string; revision: string }[] }).files
  const data = { text: SCHEMA, base_revision: file?.revision }
  expect((await page.request.put(`${APPLICATION}/files/schema.piql`, { data })).ok()).toBe(true)
}

/** What is on the screen, in both themes and two sizes, to look at. */
async function inBothThemes(page: Page, name: string, sizes = [WIDE, NARROW]): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const)
    for (const size of sizes) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize(size)
      await look(page, `${name}-${colorScheme}-${size.width}`)
    }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize(WIDE)
}
