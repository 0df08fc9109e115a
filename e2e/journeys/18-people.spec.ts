// A team: the first administrator by the command of the docs, a developer with a role on one application, what they may
// not do, who edits a file with them, a token that is used and revoked, and the record of all of it.
import { spawn } from 'node:child_process'
import type { Browser, Page } from '@playwright/test'
import { expectNoObjections } from '../axe.ts'
import { expect, test } from '../fixtures.ts'
import { Together } from '../pages/Together.ts'
import { Workbench } from '../pages/Workbench.ts'
import { look } from '../pictures.ts'
import { WorkbenchServer } from '../server.ts'

const PASSWORD = 'correct horse battery'
const FIRST_PORT = Number(process.env['PIQL_E2E_PORT'] ?? 8431) + 40

test('a team signs in, and each person does what their role lets them', async ({ browser }, info) => {
  const server = await WorkbenchServer.start(FIRST_PORT + info.parallelIndex, 'local', addAda)
  try {
    await story(browser, server.url)
  } finally {
    await server.stop()
  }
})

/** Adds the first administrator of a data folder; the password goes through a file descriptor. */
async function addAda(piql: string, data: string): Promise<void> {
  const options = ['user', 'add', 'ada', '--role', 'administrator', '--password-fd', '0', '--data', data]
  const adding = spawn(piql, options, { stdio: ['pipe', 'ignore', 'inherit'] })
  adding.stdin.end(`${PASSWORD}\n`)
  expect(await new Promise((resolve) => adding.once('exit', resolve))).toBe(0)
}

async function story(browser: Browser, url: string): Promise<void> {
  const ada = await (await browser.newContext({ baseURL: url })).newPage()
  await ada.goto('/')
  await signIn(ada, 'ada', 'not her password')
  await expect(ada.getByRole('alert')).toContainText('The name or the password is wrong.')
  await signIn(ada, 'ada', PASSWORD)
  await openPage(ada, 'ada', 'People')
  const people = ada.getByRole('table', { name: 'People' })
  await expect(people.getByRole('row', { name: /ada/ })).toContainText(/administrator.*all applications/)

  await ada.getByRole('button', { name: 'Add a person' }).click()
  const dialog = ada.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Ben')
  await dialog.getByLabel('Application').selectOption('scadr')
  await look(ada, 'add-person')
  await expectNoObjections(ada, 'a person to be added', 'dialog')
  await dialog.getByRole('button', { name: 'Add person' }).click()
  const told = await dialog.locator('code').innerText()
  expect(told).toContain('Name: ben')
  await look(ada, 'told')
  await dialog.getByRole('button', { name: 'Done' }).click()
  await expect(people.getByRole('row', { name: /ben/ })).toContainText(/developer.*scadr/)
  await look(ada, 'people')
  await expectNoObjections(ada, 'people')
  await people.getByRole('button', { name: 'Shut out: ada' }).click()
  await dialog.getByRole('button', { name: 'Shut out' }).click()
  await expect(dialog.getByRole('alert')).toContainText('the last who administers all applications')
  await ada.keyboard.press('Escape')

  const ben = await (await browser.newContext({ baseURL: url })).newPage()
  await ben.goto('/record')
  await signIn(ben, 'ben', told.split('Password: ')[1] ?? '')
  await expect(ben.getByText('This page is for administrators of all applications')).toBeVisible()
  await ben.goto('/')
  await expect(ben.getByRole('heading', { name: '1 application' })).toBeVisible()
  const workbench = new Workbench(ben)
  await workbench.open('/applications/scadr/development?file=schema.piql&panel=deploy')
  await workbench.editor.typeOver('schema.piql', 'LIMIT 100', 'LIMIT 110')
  await workbench.deploy.button.click()
  await expect(ben.getByText('This needs the role deployer in scadr, and not only developer.').first()).toBeVisible()
  await look(ben, 'deploy-refused')

  const beside = await ada.context().newPage()
  await editTogether(ben, beside)
  await endSessionOf(ben, ada, told.split('Password: ')[1] ?? '')
  await new Workbench(beside).editor.expectText('schema.piql', 'as Ben says')
  await expect(new Together(ben).people).toHaveAccessibleName('Follow ada')
  await expect(workbench.saveState).toHaveText('Saved')
  await beside.close()

  await openPage(ben, 'ben', 'Your account')
  await ben.getByRole('button', { name: 'New token' }).click()
  const making = ben.getByRole('dialog')
  await making.getByLabel('Title').fill('nightly build')
  await expectNoObjections(ben, 'a token to be made', 'dialog')
  await making.getByRole('button', { name: 'Make token' }).click()
  const secret = await making.locator('code', { hasText: 'piql_' }).innerText()
  await making.getByRole('button', { name: 'Done' }).click()
  const headers = { authorization: `Bearer ${secret}` }
  const ask = async () => (await fetch(`${url}/api/applications/scadr`, { headers })).status
  expect(await ask()).toBe(200)
  await ben.reload()
  await expect(ben.getByRole('table', { name: 'API tokens' })).not.toContainText('never')
  await look(ben, 'account')
  await expectNoObjections(ben, 'an account')
  await ben.getByRole('button', { name: 'Revoke: nightly build' }).click()
  await making.getByRole('button', { name: 'Revoke token' }).click()
  await expect(ben.getByText('None yet.')).toBeVisible()
  expect(await ask()).toBe(401)

  await ben.getByLabel('Current password').fill('half typed')
  await ben.getByRole('button', { name: 'New token' }).click()
  await making.getByLabel('Title').fill('kept')
  await people.getByRole('button', { name: 'Sign out: ben' }).click()
  await dialog.getByRole('button', { name: 'Sign out everywhere' }).click()
  await expect(dialog).toBeHidden()
  const again = ben.getByRole('dialog', { name: 'Your session has ended' })
  await expect(again).toBeVisible() // the page asks for the server's health now and then
  await again.getByLabel('Password').fill(told.split('Password: ')[1] ?? '')
  await again.getByRole('button', { name: 'Sign in' }).click()
  await expect(again).toBeHidden()
  await expect(making.getByLabel('Title')).toHaveValue('kept')
  await ben.keyboard.press('Escape')
  await expect(ben.getByLabel('Current password')).toHaveValue('half typed')

  await openPage(ada, 'ada', 'Record')
  const record = ada.getByRole('table', { name: 'Record' })
  await expect(record).toContainText('add person')
  await ada.getByLabel('Person').fill('ben')
  await ada.getByRole('button', { name: 'Filter' }).click()
  await expect(record).not.toContainText('add person')
  for (const deed of ['log in', 'make token', 'end token', 'create build']) await expect(record).toContainText(deed)
  await look(ada, 'record')
  await expectNoObjections(ada, 'the record')
}

/** Two people are in one file, with nothing turned on: each sees the other by name. */
async function editTogether(ben: Page, ada: Page): Promise<void> {
  await new Workbench(ada).open('/applications/scadr/development?file=schema.piql')
  await expect(new Together(ben).people).toHaveAccessibleName('Follow ada')
  await expect(new Together(ada).people).toHaveAccessibleName('Follow ben')
  await look(ada, 'both-in-one-file')
  await expectNoObjections(ada, 'two people in one file')
}

/** Ben's session ends while he works: he closes the question, types on, and signs in when he is asked again. */
async function endSessionOf(ben: Page, ada: Page, password: string): Promise<void> {
  await ada.getByRole('table', { name: 'People' }).getByRole('button', { name: 'Sign out: ben' }).click()
  await ada.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click()
  const again = ben.getByRole('dialog', { name: 'Your session has ended' })
  await expect(again).toBeFocused() // what is typed in this moment gets into no field
  const answers = await holdAnswers(ben)
  await again.getByRole('button', { name: 'Close' }).click()
  const { editor } = new Workbench(ben)
  await editor.goBehind('schema.piql', 'short thoughts')
  await editor.type(', as Ben says')
  answers.release()
  await again.getByLabel('Password').fill(password)
  await again.getByRole('button', { name: 'Sign in' }).click()
  await expect(again).toBeHidden()
}

/** From now until it is released, the server's answers do not reach a page. */
async function holdAnswers(page: Page): Promise<{ release: () => void }> {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/api/**', async (route) => {
    await released
    await route.continue()
  })
  return { release }
}

async function signIn(page: Page, name: string, password: string): Promise<void> {
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

async function openPage(page: Page, name: string, title: string): Promise<void> {
  await page.getByRole('button', { name: `Account of ${name}` }).click()
  await page.getByRole('link', { name: title, exact: true }).click()
  await expect(page.getByRole('heading', { name: title, exact: true })).toBeVisible()
}
