// A page that is open asks one question every few seconds, and asks for what somebody else has changed, and for no more.
import { expect, test } from '../fixtures.ts'
import { Workbench } from '../pages/Workbench.ts'

const FIND_USER = 'queries/findUser.piql'
const ADDRESS = `/applications/scadr/development?file=${FIND_USER}&query=findUser`
const QUIET_MS = 12_000

test('while nothing happens, a page asks for the pulse and for nothing else', { tag: '@long' }, async ({
  workbench,
  page,
}) => {
  await workbench.open(ADDRESS)
  await expect(workbench.saveState).toHaveText('Saved')
  await page.waitForTimeout(6000) // what opening the page asks for is over
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.includes('/api/')) asked.push(pathname.slice(pathname.lastIndexOf('/') + 1))
  })
  await page.waitForTimeout(QUIET_MS)
  const pulses = asked.filter((name) => name === 'pulse')
  expect(pulses.length).toBeGreaterThanOrEqual(1)
  expect(pulses.length).toBeLessThanOrEqual(4)
  // The steps of the work look at an hour that ends now: at most every 30 seconds where nothing was observed.
  expect(asked.filter((name) => name !== 'pulse').length).toBeLessThanOrEqual(1)
})

test('a file, a comment and a version of somebody else reach a page that is open', async ({
  workbench,
  context,
  api,
}) => {
  await api.deploy()
  await workbench.open(`${ADDRESS}&panel=deploy`)
  await expect(workbench.deploy.state).toContainText('This text is already live.')
  const other = new Workbench(await context.newPage())
  await other.open(`${ADDRESS}&panel=comments`)

  await api.write(FIND_USER, (text) => text.replace('One user by name.', 'Written elsewhere.'))
  await workbench.editor.expectText(FIND_USER, 'Written elsewhere.')
  await other.editor.expectText(FIND_USER, 'Written elsewhere.')
  await expect(workbench.deploy.state).toContainText('Only the text differs')

  await other.editor.goBehind(FIND_USER, 'FROM users')
  await other.editor.area.press('ControlOrMeta+Alt+M')
  await other.comments.write('All of them?')
  await expect(workbench.comments.count).toHaveText(/1 open/)

  await api.deploy()
  await expect(workbench.deploy.state).toContainText('This text is already live.')
})
