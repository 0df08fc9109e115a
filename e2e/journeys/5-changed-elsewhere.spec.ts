// A file that is changed or deleted by somebody else while it is open here: nothing that was typed is lost or overwritten,
// and a text that is older than the saved one is not deployed.
import type { Api } from '../api.ts'
import { expect, test } from '../fixtures.ts'
import { Workbench } from '../pages/Workbench.ts'

const FIND_USER = 'queries/findUser.piql'
/** The request by which the page notices changes of other people; a test blocks it where only the save shall notice. */
const APPLICATION_REQUEST = '**/api/applications/scadr'

/** What stands in the files in place of `One user`, and beside them. */
const typedTexts = async (api: Api) =>
  (await api.files()).flatMap(({ text }) => /(First|Second) by name\./.exec(text)?.slice(1) ?? []).toSorted()

test('what two tabs have typed into one file and could not save is in the next one, both of it', {
  tag: '@long',
}, async ({ workbench, context, api, page, server }) => {
  const secondTab = new Workbench(await context.newPage())
  await workbench.open(`/?file=${FIND_USER}&query=findUser`)
  await secondTab.open(`/?file=${FIND_USER}&query=findUser`)
  const witness = await context.newPage()
  await witness.goto('/api/health') // a page of the same origin that is no tab of the workbench
  await server.halt() // a tab that is closed is no longer offline where only its network is emulated
  await workbench.editor.typeOver(FIND_USER, 'One user', 'First')
  await secondTab.editor.typeOver(FIND_USER, 'One user', 'Second')
  await expect(workbench.saveState).toHaveText('Kept in this browser')
  await expect(secondTab.saveState).toHaveText('Kept in this browser')
  await secondTab.close()
  await page.goto('about:blank')
  // A tab that is still closing would save what it has once the server is there.
  await expect.poll(() => witness.evaluate(async () => (await navigator.locks.query()).held?.length)).toBe(0)
  await server.resume()
  await workbench.open(`/?file=${FIND_USER}&query=findUser`)
  await expect(workbench.application.file('findUser.mine.piql')).toBeVisible()
  await expect(workbench.saveState).toHaveText('Saved')
  await expect.poll(() => typedTexts(api)).toEqual(['First', 'Second'])
})

test('what was typed in a tab that crashed comes to the tab that is open', { tag: '@long' }, async ({
  workbench,
  context,
  api,
}) => {
  const crashing = await context.newPage()
  const secondTab = new Workbench(crashing)
  await workbench.open(`/?file=${FIND_USER}&query=findUser`)
  await secondTab.open(`/?file=${FIND_USER}&query=findUser`)
  await crashing.route('**/api/applications/scadr/files/**', (route) => route.abort())
  await secondTab.editor.typeOver(FIND_USER, 'One user', 'Second')
  await expect(secondTab.saveState).toHaveText('Kept in this browser')
  const crash = crashing.waitForEvent('crash')
  void (await context.newCDPSession(crashing)).send('Page.crash').catch(() => {}) // a crashed page does not answer
  await crash
  await workbench.expectNotice(`Your unsaved changes in ${FIND_USER} are restored.`)
  await workbench.editor.expectText(FIND_USER, 'Second by name.')
  await expect.poll(() => typedTexts(api)).toEqual(['Second'])
})

test('a file that is deleted elsewhere while it is written on is saved as a new one', async ({
  workbench,
  api,
  page,
}) => {
  const { editor } = workbench
  await workbench.open(`/?file=${FIND_USER}&query=findUser`)
  await page.route(APPLICATION_REQUEST, (route) => route.abort()) // only the save notices
  await api.remove(FIND_USER)
  await editor.typeOver(FIND_USER, 'One user by name.', 'Written on.')
  await workbench.expectNotice(`${FIND_USER} was deleted elsewhere; what you typed is saved as a new file.`)
  await expect(workbench.saveState).toHaveText('Saved')
  expect((await api.files()).find((file) => file.path === FIND_USER)?.text).toContain('Written on.')
})

test('a text that was changed elsewhere is not overwritten unasked', async ({ workbench, api, page }) => {
  const { editor } = workbench
  await workbench.open(`/?file=${FIND_USER}&query=findUser`)
  await page.route(APPLICATION_REQUEST, (route) => route.abort()) // only the save notices
  await api.write(FIND_USER, (text) => text.replace('One user by name.', 'Written elsewhere.'))
  await editor.typeOver(FIND_USER, 'One user by name.', 'Written here.')
  await expect(workbench.saveState).toHaveText('Conflict')
  await editor.region.getByRole('button', { name: 'Keep mine as a copy' }).click()
  await expect(workbench.saveState).toHaveText('Saved')
  await editor.expectText(FIND_USER, 'Written elsewhere.')
  await editor.expectText('queries/findUser.mine.piql', 'Written here.')
  const saved = await api.files()
  expect(saved.find((file) => file.path === FIND_USER)?.text).toContain('Written elsewhere.')
  expect(saved.find((file) => file.path === 'queries/findUser.mine.piql')?.text).toContain('Written here.')
})

test('of two tabs, the one that is behind takes the newer text, or says what to do about it, and deploys neither', async ({
  workbench,
  context,
  api,
}) => {
  const { editor, deploy } = workbench
  await api.deploy() // an earlier journey may have deployed other texts
  await workbench.open(`/?file=${FIND_USER}&query=findUser&panel=deploy`)
  const second = await context.newPage()
  const secondTab = new Workbench(second)
  await secondTab.open(`/?file=${FIND_USER}&query=findUser`)
  await secondTab.editor.typeOver(FIND_USER, 'One user by name.', 'Newer text.')
  await expect(secondTab.saveState).toHaveText('Saved')
  await editor.expectText(FIND_USER, 'Newer text.')
  await workbench.expectNotice(`${FIND_USER} changed elsewhere; here is the newer text.`)

  await second.route('**/api/applications/scadr**', (route) => route.abort())
  await secondTab.editor.typeOver(FIND_USER, 'Newer text.', 'Typed behind.')
  await expect(secondTab.saveState).toHaveText('Kept in this browser')
  await editor.typeOver(FIND_USER, 'Newer text.', 'Newest text.')
  await expect(workbench.saveState).toHaveText('Saved')
  await second.unroute('**/api/applications/scadr**')
  await expect(secondTab.saveState).toHaveText('Conflict')
  await secondTab.deploy.open()
  await expect(secondTab.deploy.alert).toContainText(
    `Deploying is refused: ${FIND_USER} is newer on the server than here.`,
  )
  await expect(secondTab.deploy.button).toBeDisabled()
  await secondTab.editor.region.getByRole('button', { name: 'Compare' }).click()
  await expect(second.getByRole('dialog')).toContainText('− -- Newest text.')
  await expect(second.getByRole('dialog')).toContainText('+ -- Typed behind.')
  await second.keyboard.press('Escape')
  await secondTab.editor.region.getByRole('button', { name: 'Take theirs' }).click()
  await secondTab.editor.expectText(FIND_USER, 'Newest text.')
  await expect(secondTab.saveState).toHaveText('Saved')
  expect((await api.files()).find((file) => file.path === FIND_USER)?.text).toContain('Newest text.')
  await second.close()
  await expect(deploy.state).toContainText('Only the text differs')
})

test('a text that grew old unseen is not deployed over a newer one', async ({ workbench, api, page }) => {
  const { editor, deploy } = workbench
  await api.deploy()
  await api.write(FIND_USER, (text) => text.replace('One user by name.', 'Not deployed yet.'))
  await workbench.open(`/?file=${FIND_USER}&query=findUser&panel=deploy`)
  await expect(deploy.state).toContainText('Only the text differs')
  await page.route(APPLICATION_REQUEST, (route) => route.abort())
  await api.write(FIND_USER, (text) => text.replace('Not deployed yet.', 'Newer.'))
  await deploy.button.click()
  await expect(deploy.alert).toContainText(FIND_USER)
  await page.unroute(APPLICATION_REQUEST)
  await editor.expectText(FIND_USER, 'Newer.')
  await expect(deploy.alert).toHaveCount(0)
})
