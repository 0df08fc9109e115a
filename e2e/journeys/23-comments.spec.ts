// People comment on lines, on bounds and on nodes of plans: what was said stays with what it is about, others see it
// without reloading, and all of it works by the keyboard.
import { spawn } from 'node:child_process'
import type { Browser, Page } from '@playwright/test'
import { expectNoObjections } from '../axe.ts'
import { expect, test } from '../fixtures.ts'
import { Workbench } from '../pages/Workbench.ts'
import { look, picture } from '../pictures.ts'
import { WorkbenchServer } from '../server.ts'

const PATH = 'queries/thoughtstream.piql'
const ADDRESS = `/applications/scadr/development?file=${PATH}&query=thoughtstream`
const LINE = 'thoughtstream.piql, line 7'
const LIMIT = 'LIMIT [2: count] MAX 50;'
const PASSWORD = 'correct horse battery'
const FIRST_PORT = Number(process.env['PIQL_E2E_PORT'] ?? 8431) + 10

test('a line is commented on by the keyboard, and the thread stays with it', async ({
  workbench,
  page,
  context,
  person,
}) => {
  const { comments, editor } = workbench
  await page.setViewportSize({ width: 1440, height: 900 })
  await workbench.open(ADDRESS)
  await expect(comments.count).toHaveText(/0 open/)
  await editor.goBehind(PATH, LIMIT)
  await page.keyboard.press('ControlOrMeta+Alt+M')
  await expect(comments.newText).toBeFocused()
  await page.keyboard.type('Are 50 enough?\n<img src=x onerror=alert(1)>')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(comments.head(LINE)).toHaveAttribute('aria-expanded', 'true')
  await expect(comments.said).toContainText('<img src=x onerror=alert(1)>')
  await expect(comments.said).toContainText(person ?? 'you')
  await expect(comments.content.locator('img')).toHaveCount(0)
  await expect(comments.signs).toHaveCount(1)
  await expect(comments.count).toHaveText(/1 open/)

  // Pages take turns to be in front, as for one person: one that is not looks for news rarely.
  const otherPage = await context.newPage()
  const other = new Workbench(otherPage)
  await other.open(page.url())
  await expect(other.comments.said).toHaveCount(1)
  await other.comments.answer('A page shows 20.')
  await page.bringToFront()
  await expect(comments.said).toHaveCount(2)

  await editor.typeOver(PATH, 'The newest thoughts', 'Newest first: the thoughts')
  await editor.goBehind(PATH, '-- ')
  await page.keyboard.type('\n-- ')
  await expect(comments.head('thoughtstream.piql, line 8')).toBeVisible()
  await editor.typeOver(PATH, 'MAX 50', 'MAX 40')
  await expect(workbench.saveState).toHaveText('Saved')
  await otherPage.bringToFront()
  await expect(other.comments.head('thoughtstream.piql, line 8')).toBeVisible()
  await page.bringToFront()
  // A line comes back as it was seen last: threads are brought to their lines when somebody reads them.
  expect((await page.request.get('/api/applications/scadr/threads')).ok()).toBe(true)
  await expect(comments.content.getByText('outdated')).toHaveCount(0)
  await editor.deleteLine(PATH, 'LIMIT [2: count] MAX 40')
  await expect(comments.content.getByText('outdated')).toBeVisible()
  await expect(comments.content.getByText(LIMIT)).toBeVisible()
  await expect(comments.signs).toHaveCount(0)
  await editor.goBehind(PATH, 'ORDER BY t.posted DESC')
  await page.keyboard.type('\nLIMIT [2: count] MAX 40;')
  await expect(comments.content.getByText('outdated')).toHaveCount(0)

  await comments.button(/^Resolve thread/).click()
  await expect(comments.count).toHaveText(/0 open/)
  await otherPage.bringToFront()
  await expect(other.comments.button(/^Reopen thread/)).toBeVisible()
  await other.comments.button(/^Reopen thread/).click()
  await page.bringToFront()
  await expect(comments.count).toHaveText(/1 open/)
  await expect(comments.signs).toHaveCount(1)

  await comments.button('Edit comment 1').click()
  await comments.content.getByRole('textbox', { name: 'Comment 1' }).fill('Are 40 enough?')
  await comments.button('Save').click()
  await otherPage.bringToFront()
  await expect(other.comments.said.first()).toContainText('Are 40 enough?')
  await expect(other.comments.said.first()).toContainText('edited')
  await page.bringToFront()
  await comments.button('Remove comment 2').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
  await otherPage.bringToFront()
  await expect(other.comments.said.nth(1)).toContainText('removed')
})

test('a bound and a node of the plan are commented on, and show how many threads there are', async ({
  workbench,
  page,
}) => {
  const { comments, bounds, plan } = workbench
  await workbench.open(`${ADDRESS}&panel=bounds`)
  await bounds.content.getByRole('button', { name: 'Comment on this: Bound of thoughtstream' }).click()
  await comments.write('Why not 51?')
  await expect(comments.head('Bound of thoughtstream')).toBeVisible()
  await bounds.open()
  await bounds.content.getByRole('button', { name: '1 open thread: Bound of thoughtstream' }).click()
  await expect(comments.head('Bound of thoughtstream')).toBeFocused()
  await comments.button('Show the bound').click()
  await expect(bounds.operations).toBeVisible()

  await plan.open()
  await plan.node('IndexScan').focus()
  await page.keyboard.press('c')
  await expect(comments.newText).toBeFocused()
  await comments.write('Could this be a view?')
  await plan.open()
  await expect(plan.node('IndexScan')).toHaveAccessibleName(/1 open thread$/)
  await expect(workbench.application.queries.filter({ hasText: 'thoughtstream' })).toContainText('2')

  await comments.open()
  await comments.head('Bound of thoughtstream').focus()
  await page.keyboard.press('Enter')
  await expect(comments.said).toContainText('Why not 51?')
  await page.keyboard.press('ArrowUp')
  await expect(comments.head('IndexScan of thoughtstream')).toBeFocused()
  await page.keyboard.press('Enter')
  await comments.button('Show the node').click()
  await expect(plan.node('IndexScan')).toHaveAttribute('data-selected', 'true')

  await workbench.editor.typeOver(PATH, 's.owner = [1: me] AND ', ' ') // nothing bounds it any more
  await comments.open()
  await expect(comments.content.getByText('outdated').first()).toBeVisible()
})

test(
  'two people of a team talk about a line until it is settled, and a viewer reads',
  { tag: '@long' },
  async ({ browser }, info) => {
    const server = await WorkbenchServer.start(FIRST_PORT + info.parallelIndex, 'local', addPeople)
    try {
      await story(browser, server.url)
    } finally {
      await server.stop()
    }
  },
)

/** Ada administers, Ben develops, and Eva reads. */
async function addPeople(piql: string, data: string): Promise<void> {
  for (const person of [
    ['ada', '--role', 'administrator'],
    ['ben', '--role', 'developer'],
    ['eva', '--role', 'viewer'],
  ]) {
    const options = ['user', 'add', ...person, '--password-fd', '0', '--data', data]
    const adding = spawn(piql, options, { stdio: ['pipe', 'ignore', 'inherit'] })
    adding.stdin.end(`${PASSWORD}\n`)
    expect(await new Promise((resolve) => adding.once('exit', resolve))).toBe(0)
  }
}

async function story(browser: Browser, url: string): Promise<void> {
  const [ben, benPage] = await somebody(browser, url, 'ben')
  await ben.editor.goBehind(PATH, LIMIT)
  await benPage.keyboard.press('ControlOrMeta+Alt+M')
  await ben.comments.write('Nobody reads more than 20. May I lower this?')
  await expect(ben.comments.said).toContainText('ben')

  const [ada, adaPage] = await somebody(browser, url, 'ada')
  await expect(ada.comments.count).toHaveText(/1 open/)
  await ada.comments.signs.click()
  await expect(ada.comments.said).toContainText('ben')
  await expect(ada.comments.button('Edit comment 1')).toHaveCount(0)
  await ada.comments.answer('Yes, and say so in the notes of the release.')
  await expect(ben.comments.said).toHaveCount(2)
  await expect(ben.comments.said.nth(1)).toContainText('ada')

  await ben.editor.typeOver(PATH, 'MAX 50', 'MAX 20')
  await ada.editor.expectText(PATH, 'MAX 20')
  await expect(ada.comments.signs).toHaveCount(1)
  await picture(adaPage, 'comments')
  for (const theme of ['dark', 'light'] as const) {
    await adaPage.emulateMedia({ colorScheme: theme })
    await expect(adaPage.locator('html')).toHaveAttribute('data-theme', theme)
    for (const [width, height] of [
      [1440, 900],
      [1024, 768],
    ] as const) {
      await adaPage.setViewportSize({ width, height })
      await expect(ada.comments.said).toHaveCount(2)
      await look(adaPage, `comments-${theme}-${width}`)
    }
    await expectNoObjections(adaPage, `comments in ${theme}`)
  }
  await adaPage.setViewportSize({ width: 1440, height: 900 })
  await ada.comments.button(/^Resolve thread/).click()
  await expect(ben.comments.content.getByText('resolved by ada')).toBeVisible()
  await expect(ben.comments.signs).toHaveCount(0)

  const [eva] = await somebody(browser, url, 'eva', benPage.url())
  await expect(eva.comments.said).toHaveCount(2)
  await expect(eva.comments.answerText).toBeDisabled()
  await expect(eva.comments.content).toContainText('This needs the role developer in scadr')
  await expect(eva.comments.button(/^Reopen thread/)).toBeDisabled()
}

/** Somebody who has signed in, in a browser of their own, and looks at a page. */
async function somebody(browser: Browser, url: string, name: string, address = ADDRESS): Promise<[Workbench, Page]> {
  const page = await (await browser.newContext({ baseURL: url })).newPage()
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto(address)
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  const workbench = new Workbench(page)
  await expect(workbench.editor.lines.first()).toBeVisible()
  return [workbench, page]
}
