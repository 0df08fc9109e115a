// The panel History: each save is kept, can be compared with the present texts, and restored.
import { expectNoObjections } from '../axe.ts'
import { expect, test } from '../fixtures.ts'
import { look } from '../pictures.ts'

const QUERY = 'queries/thoughtstream.piql'
const WIDE = { width: 1440, height: 900 }
const NARROW = { width: 1024, height: 768 }
const PANEL = '[role=tabpanel]:not([hidden])'

test('a save shows what it changed, bounds too, and can be brought back and undone', async ({ workbench, page }) => {
  const { editor, history } = workbench
  await workbench.open('/applications/scadr/development?file=schema.piql&query=thoughtstream')
  await editor.typeOver('schema.piql', 'LIMIT 100', 'LIMIT 50')
  await workbench.finishSaving()
  await history.open()
  await expect(history.saves.first()).toContainText('Save schema.piql')
  await expect(history.detail).toContainText('CARDINALITY LIMIT 50 (owner)')
  await expect(history.bounds.getByRole('row').filter({ hasText: 'thoughtstream' })).toBeVisible()
  await look(page, 'history')
  await expectNoObjections(page, 'the history of an application', PANEL)

  await history.saves.nth(1).click()
  await expect(history.detail.getByLabel('Compare')).toHaveValue('now')
  await history.restore()
  await editor.expectText('schema.piql', 'CARDINALITY LIMIT 100 (owner)')
  await expect(history.detail).toContainText('The texts are the same.')
  await workbench.finishSaving()
  await expect(history.saves.first()).toContainText('Save schema.piql')

  const number = await history.shownNumber()
  await history.compareWith(number + 1)
  await expect(history.detail).toContainText(`Before is save ${number}, the older one.`)
  await expect(history.detail).toContainText('CARDINALITY LIMIT 50 (owner)')
  await expect(history.bounds.getByRole('row').filter({ hasText: 'thoughtstream' })).toBeVisible()
})

test('plans of two versions stand side by side, at an address that keeps the choice at any width', async ({
  workbench,
  page,
}) => {
  const { editor, history } = workbench
  await workbench.open('/applications/scadr/development?file=schema.piql&panel=history')
  await editor.typeOver('schema.piql', 'LIMIT 100', 'LIMIT 60')
  await workbench.finishSaving()
  await expect(history.detail).toContainText('CARDINALITY LIMIT 60 (owner)')
  await history.showPlansOf('thoughtstream')
  const number = await history.shownNumber()
  await expect(history.difference('thoughtstream')).toContainText('≤ 101 → 61 operations')
  for (const [name, bound] of [
    [`save ${number - 1}`, '≤ 101 ops'],
    [`save ${number}`, '≤ 61 ops'],
  ] as const)
    await expect(history.planIn(name)).toContainText(bound)
  await expectNoObjections(page, 'two plans in the history', PANEL)
  await history.compareWith('now')
  await expect(history.planIn('now')).toContainText('≤ 61 ops')
  await history.compareWith(number - 1)
  await expect(page).toHaveURL(new RegExp(`save=${number}&compared=${number - 1}&plans=thoughtstream`))
  for (const colorScheme of ['dark', 'light'] as const)
    for (const size of [NARROW, WIDE]) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize(size)
      await expect(history.planIn(`save ${number - 1}`)).toContainText('≤ 101 ops')
      await look(page, `history-plans-${size.width}-${colorScheme}`)
    }
  await workbench.reload()
  await expect(history.planIn(`save ${number - 1}`)).toContainText('≤ 101 ops')
})

test('a file gets another path, and one that was deleted comes back', async ({ workbench }) => {
  const { application, history } = workbench
  await workbench.open(`/applications/scadr/development?file=${QUERY}`)
  await application.rename(QUERY, 'queries/stream.piql')
  await expect(application.file('stream.piql')).toHaveAttribute('aria-current', 'true')
  await expect(application.file('thoughtstream.piql')).toHaveCount(0)
  await application.remove('queries/stream.piql')
  await expect(application.file('stream.piql')).toHaveCount(0)
  await history.open()
  await history.choose('Rename queries/thoughtstream.piql to queries/stream.piql')
  await history.compareWith('now')
  await history.restore()
  await expect(application.file('stream.piql')).toBeVisible()
  await workbench.openFile('queries/stream.piql')
  await workbench.editor.expectText('queries/stream.piql', 'thoughtstream')
})
