// The panel Data: rows of a table are read by pages and filtered, changed one by one, imported from a file and exported.
import { expectNoObjections } from '../axe.ts'
import { expect, test } from '../fixtures.ts'
import { look, picture } from '../pictures.ts'

const READER = 'ada_birch'

test('the rows of a table are seen by pages, with the keyboard, and filtered by what the key serves', async ({
  workbench,
  page,
}) => {
  const { data } = workbench
  await workbench.open('/applications/scadr/development?panel=data')
  await data.table.selectOption('thoughts')
  await expect(data.rows).toHaveCount(50)
  await expect(data.cost).toContainText('1 operation')
  await picture(page, 'data')
  const first = await data.rows.first().innerText()
  await data.button('Next page').click()
  await expect(data.content).toContainText('Page 2')
  await expect.poll(() => data.rows.first().innerText()).not.toBe(first)
  await data.button('Previous page').click()
  await expect.poll(() => data.rows.first().innerText()).toBe(first)
  await data.grid.getByRole('gridcell').first().focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('End')
  await expect(data.rows.nth(1).getByRole('gridcell').last()).toBeFocused()
  await data.filterBy('owner', READER)
  await expect(data.rows.first()).toContainText(READER)
  await expect(data.content.getByRole('button', { name: `owner = ${READER}: remove this filter` })).toBeVisible()
})

test('a row is added, changed and deleted, and a constraint speaks at its column', async ({ workbench, page }) => {
  const { data } = workbench
  await workbench.open('/applications/scadr/development?panel=data')
  await data.table.selectOption('subscriptions')
  await data.button('Add').click()
  const added = data.form('New row of subscriptions')
  await added.getByLabel('owner', { exact: true }).fill(READER)
  await added.getByLabel('target', { exact: true }).fill('nobody')
  await added.getByLabel('approved', { exact: true }).selectOption('true')
  await added.getByRole('button', { name: 'Insert the row' }).click()
  await expect(added.getByLabel('target', { exact: true })).toBeFocused()
  await expect(added).toContainText("target = 'nobody' names no row of users")
  await look(page, 'data-refused')
  await expectNoObjections(page, 'a row that is refused')
  await added.getByRole('button', { name: 'Cancel' }).click()

  await data.table.selectOption('users')
  await data.button('Add').click()
  const user = data.form('New row of users')
  await user.getByLabel('username', { exact: true }).fill('aaa_new')
  for (const name of ['password', 'hometown']) {
    const field = user.getByLabel(name, { exact: true })
    if ((await field.count()) > 0) await field.fill('x')
  }
  await user.getByRole('button', { name: 'Insert the row' }).click()
  await expect(data.cost).toContainText('Inserted')
  await expect(data.rows.first()).toContainText('aaa_new')
  await data.grid.getByRole('gridcell').first().focus()
  await page.keyboard.press('Enter')
  const edited = data.form('Edit a row of users')
  await edited.getByLabel('hometown', { exact: true }).fill('Reykjavík')
  await edited.getByRole('button', { name: 'Write the change' }).click()
  await expect(data.rows.first()).toContainText('Reykjavík')
  await data.grid.getByRole('gridcell').first().focus()
  await page.keyboard.press('Delete')
  await data.form('Delete a row of users').getByRole('button', { name: 'Delete the row' }).click()
  await expect(data.cost).toContainText('Deleted')
  await expect(data.rows.first()).not.toContainText('aaa_new')
})

test('a file is mapped, checked and loaded, and its faults are named by line and column', async ({
  workbench,
  page,
}) => {
  const { data } = workbench
  await workbench.open('/applications/scadr/development?panel=data')
  await data.table.selectOption('subscriptions')
  await data.upload('follows.csv', `follower,target,approved\n${READER},nobody,true\n${READER},${READER},maybe\n`)
  await expect(data.dialog).toContainText('2 rows to load.')
  await data.dialog.getByLabel('follower goes into').selectOption('owner')
  await data.dialog.getByRole('button', { name: 'Check all rows' }).click()
  await expect(data.faults).toHaveCount(2)
  await expect(data.faults.nth(1)).toContainText('maybe')
  await picture(page, 'import')
  await expectNoObjections(page, 'the faults of a file')
  await data.dialog.getByRole('button', { name: 'Load the rows' }).click()
  await expect(data.dialog).toContainText('No row is loaded.')
  await data.dialog.getByRole('button', { name: 'Close' }).click()
  await data.upload('follows.csv', `owner,target,approved\n${READER},${READER},true\n`)
  await data.dialog.getByRole('button', { name: 'Load the rows' }).click()
  await expect(data.dialog).toContainText('1 row loaded.')
})

test('all rows of a table are saved as a file', async ({ workbench, page }) => {
  const { data } = workbench
  await workbench.open('/applications/scadr/development?panel=data')
  await data.table.selectOption('users')
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    data.content.getByRole('link', { name: 'CSV' }).click(),
  ])
  expect(file.suggestedFilename()).toBe('users.csv')
})
