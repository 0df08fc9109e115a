// The whole story by somebody who has a keyboard and nothing else: an application from nothing is created, written,
// mended, measured, deployed, filled, run, compared, and a file of it is deleted and comes back. Whatever has the focus
// shows it, and dialogs return it.
import { expect, test } from '../fixtures.ts'
import { Keys } from '../pages/Keys.ts'
import { patience } from '../patience.ts'

const SCHEMA = 'CREATE TABLE follows (owner VARCHAR(32), target VARCHAR(32), PRIMARY KEY (owner, target));'
const QUERY = 'CREATE QUERY following AS\nSELECT target\nFROM follows\nWHERE owner = [1: me];\n'
const ROWS = 'owner,target\nada,alan\nada,grace\ngrace,ada\n'

test.describe.configure({ timeout: 300_000 * patience })

test('an application goes from nothing to a comparison of its versions by keys alone', { tag: '@long' }, async ({
  workbench,
  page,
}) => {
  const { application, data, deploy, editor, heatmap, history, plan, problems, profile, run } = workbench
  const keys = new Keys(page)
  const dialog = page.getByRole('dialog')

  await test.step('create', async () => {
    await page.goto('/')
    await keys.press(page.getByRole('button', { name: 'New application' }))
    await expect(dialog.getByLabel('Name')).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('button', { name: 'New application' })).toBeFocused()
    await page.keyboard.press('Enter')
    await page.keyboard.type('Keys alone')
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/\/applications\/keys-alone\/development/)
    await expect(page.getByRole('main')).toBeFocused()
    await keys.tabTo(editor.area)
  })

  await test.step('begin with a table, and deploy it alone', async () => {
    await page.keyboard.press('ControlOrMeta+A')
    await editor.paste(SCHEMA)
    await expect(application.table('follows')).toBeVisible()
    await workbench.command('Deploy')
    await expect(deploy.state).toContainText('There is no query yet: the tables alone can be deployed.')
    await keys.press(deploy.button)
    await workbench.expectNotice('Version 1 is live with 0 queries.')
  })

  await test.step('write a query, see it refused, take a fix', async () => {
    await keys.press(page.getByRole('button', { name: 'New file' }))
    await page.keyboard.type('following')
    await page.keyboard.press('Enter')
    await expect(editor.area).toBeFocused()
    await editor.paste(QUERY)
    await expect(application.query('following')).toContainText('unbounded')
    await page.keyboard.press('F8')
    await editor.applyFirstFixByKeyboard()
    await expect(application.query('following')).not.toContainText('unbounded')
    await expect(problems.items).toHaveCount(0)
    await page.keyboard.press('Escape')
    await expect(editor.region.getByText('Left the editor.')).toBeFocused()
    await keys.press(deploy.tab, 'Home')
    await expect(plan.tab).toBeFocused()
    await keys.press(plan.nodes.first())
    await expect(editor.selectedSource).not.toHaveCount(0)
  })

  await test.step('predict', async () => {
    await workbench.command('Profile')
    await keys.fill(profile.content.getByLabel('Interval', { exact: true }), '2')
    await keys.fill(profile.content.getByLabel('Intervals'), '1')
    await keys.press(profile.content.getByRole('button', { name: 'Start run' }))
    await expect(profile.content.getByText('done', { exact: true })).toBeVisible({ timeout: 120_000 * patience })
    await workbench.command('Heatmap')
    await expect(heatmap.content).toContainText('≈')
  })

  await test.step('deploy', async () => {
    await workbench.command('Deploy')
    await keys.press(deploy.button)
    await workbench.expectNotice(/^Version 2 is live/m)
  })

  await test.step('import rows', async () => {
    const chooser = page.waitForEvent('filechooser') // the browser has to hear of it before the key
    await workbench.command('Data')
    await keys.press(data.button('Import'))
    const file = dialog.getByLabel('A file of CSV, JSON lines or Parquet')
    await expect(file).toBeFocused()
    await page.keyboard.press('Enter')
    await (await chooser).setFiles({ name: 'follows.csv', mimeType: 'text/csv', buffer: Buffer.from(ROWS) })
    await keys.press(dialog.getByRole('button', { name: 'Load the rows' }))
    await expect(dialog).toContainText('3 rows loaded.')
    await page.keyboard.press('Escape')
    await expect(data.button('Import')).toBeFocused()
    await expect(data.rows).toHaveCount(3)
    await keys.press(data.grid.getByRole('gridcell').first(), 'ArrowDown')
    await expect(data.rows.nth(1).locator(':focus')).toHaveCount(1)
  })

  await test.step('run', async () => {
    await workbench.command('following')
    await expect(editor.area).toBeFocused()
    await page.keyboard.press('ControlOrMeta+Enter')
    await keys.fill(run.parameter('me'), 'ada')
    await page.keyboard.press('Enter')
    await expect(run.rows).toHaveCount(2)
  })

  await test.step('compare two versions', async () => {
    await workbench.command('History')
    await keys.press(history.saveDeployedAs('development/2'))
    await keys.choose(history.detail.getByLabel('Compare'), 'save 1')
    await expect(history.detail).toContainText('CARDINALITY LIMIT')
  })

  await test.step('delete a file', async () => {
    await page.keyboard.press('F4')
    await page.keyboard.type('following')
    await page.keyboard.press('ArrowDown')
    await expect(application.file('following.piql')).toBeFocused()
    await keys.press(page.getByRole('button', { name: 'Delete queries/following.piql' }))
    await keys.press(dialog.getByRole('button', { name: 'Delete file' }))
    await expect(application.file('following.piql')).toHaveCount(0)
    await expect(page.locator(':focus')).toHaveCount(1)
  })

  await test.step('bring it back', async () => {
    await workbench.command('History')
    await keys.press(history.saveDeployedAs('development/2'))
    await keys.choose(history.detail.getByLabel('Compare'), 'this save with the text of now')
    await keys.press(history.detail.getByRole('button', { name: /^Restore/ }))
    await expect(application.file('following.piql')).toHaveCount(1)
    await workbench.finishSaving()
  })
})
