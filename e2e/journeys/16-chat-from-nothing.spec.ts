// A chat from nothing, by what the screens offer alone: its tables are drawn, eight queries typed, messages loaded, a
// limit taken from them; it goes to a second store, changes its names, and what was deleted comes back.
import type { Page } from '@playwright/test'
import { expect, test } from '../fixtures.ts'
import type { Workbench } from '../pages/Workbench.ts'
import { look, picture } from '../pictures.ts'

const PEOPLE = 'name VARCHAR(32)'
const MESSAGES = 'room VARCHAR(32)\nsent INT\nsender VARCHAR(32)\ntext VARCHAR(200) NOT NULL'
const QUERIES = `CREATE QUERY addPerson AS INSERT INTO people (name) VALUES ([1: name]);
CREATE QUERY findPerson AS SELECT name FROM people WHERE name = [1: name];
CREATE QUERY post AS INSERT INTO messages (room, sent, sender, text)
  VALUES ([1: room], [2: sent], [3: sender], [4: text]);
CREATE QUERY removeMessage AS DELETE FROM messages WHERE room = [1: room] AND sent = [2: sent];
CREATE QUERY oneMessage AS SELECT sender, text FROM messages WHERE room = [1: room] AND sent = [2: sent];
CREATE QUERY newest AS SELECT sent, text FROM messages WHERE room = [1: room] ORDER BY sent DESC LIMIT 20;
CREATE QUERY older AS SELECT sent, text FROM messages WHERE room = [1: room] ORDER BY sent DESC PAGINATE 20;
`
/** It is refused as it is: nothing limits the messages of one sender in a room. */
const OF_SENDER =
  'CREATE QUERY ofSender AS SELECT text FROM messages WHERE room = [1: room] AND sender = [2: sender];\n'
const FILE = 'queries/chat.piql'

const PERSONS = 50
const ROOMS = 100
/** `make test-long` loads 100,000. */
const COUNT = Number(process.env['PIQL_E2E_MESSAGES'] ?? 2_000)

/** The messages as CSV; three of its lines are no messages, if they are wanted. */
function messages(areBroken: boolean): string {
  const lines = Array.from({ length: COUNT }, (_, index) => {
    const sender = Math.floor(index / ROOMS) % PERSONS
    return `room${index % ROOMS},${index},person${sender},Hello ${index}`
  })
  if (areBroken) {
    lines[98] = 'room98,soon,person0,Not a time'
    lines[COUNT / 2 - 2] = `room0,${COUNT / 2 - 2},person1,${'long '.repeat(60)}`
    lines[COUNT - 2] = `room0,${COUNT - 2},person1,`
  }
  return `room,sent,sender,text\n${lines.join('\n')}\n`
}

/** The line, column and value of each bad line; the first line of the file has the names. */
const FAULTS = [
  ['100', 'sent', 'soon'],
  [formatted(COUNT / 2), 'text', 'long long'],
  [formatted(COUNT), 'text', 'NULL'],
] as const

function formatted(count: number): string {
  return count.toLocaleString('en')
}

test('a chat is made from nothing, filled from a file, limited, promoted, renamed, and a deleted file comes back', async ({
  workbench,
  page,
}) => {
  await test.step('an empty application gets its tables in the diagram', () => drawTables(workbench, page))
  await test.step('seven queries are typed and deployed', () => typeQueries(workbench, page))
  await test.step('three bad lines are named by line and column, and none of the file is in', () =>
    loadMessages(workbench, page))
  await test.step('the eighth query needs a limit, which is taken from the messages', () =>
    limitMessages(workbench, page))
  await test.step('the second version goes to a second store', () => promote(workbench, page))
  await test.step('both versions are compared', () => compare(workbench, page))
  await test.step('a file is renamed, deleted, and comes back', () => deleteAndUndelete(workbench))
  await test.step('the application is renamed, archived, brought back, and deleted', () => renameAndDelete(page))
})

async function drawTables({ diagram, editor }: Workbench, page: Page): Promise<void> {
  await page.goto('/')
  await page.getByRole('button', { name: 'New application' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Huddle')
  await page.getByRole('button', { name: 'Create' }).click()
  await expect(page).toHaveURL(/\/applications\/huddle\/development/)
  await editor.lines.first().waitFor()
  await diagram.open()
  await diagram.content.getByRole('button', { name: 'Add a table' }).click()
  await diagram.describeTable('people', PEOPLE, 'name')
  await diagram.write.click()
  await expect(diagram.table('people')).toBeVisible()
  await diagram.changes('Add a table')
  await diagram.describeTable('messages', MESSAGES, 'room, sent')
  await expect(diagram.change.locator('pre')).toContainText('+   PRIMARY KEY (room, sent)')
  await picture(page, 'chat-new-table')
  await diagram.write.click()
  await diagram.changes('Add a reference', 'messages')
  await diagram.change.getByLabel('Columns').fill('sender')
  await diagram.change.getByLabel('References').selectOption('people')
  await expect(diagram.change.locator('pre')).toContainText('REFERENCES people')
  await diagram.write.click()
  await expect(diagram.labels.filter({ hasText: 'sender · no limit' })).toHaveCount(1)
}

async function typeQueries({ application, deploy, diagram, editor }: Workbench, page: Page): Promise<void> {
  await application.create(FILE)
  await expect(editor.region.getByRole('heading')).toHaveText('queries / chat.piql')
  await editor.area.focus()
  await editor.paste(QUERIES)
  await expect(application.queries).toHaveCount(7)
  await application.query('newest').click()
  await diagram.open()
  await expect(diagram.table('messages')).toHaveText('messages, step 1 ≤ 1 op')
  await picture(page, 'chat-diagram')
  await deploy.open()
  await deploy.button.click()
  await expect(deploy.versions.first()).toContainText('live')
}

async function loadMessages({ data }: Workbench, page: Page): Promise<void> {
  await data.open()
  await data.table.selectOption('people')
  await data.upload(
    'people.csv',
    `name\n${Array.from({ length: PERSONS }, (_, index) => `person${index}`).join('\n')}\n`,
  )
  await data.dialog.getByRole('button', { name: 'Load the rows' }).click()
  await expect(data.dialog).toContainText(`${PERSONS} rows loaded.`)
  await data.dialog.getByRole('button', { name: 'Close' }).click()

  await data.table.selectOption('messages')
  await data.upload('messages.csv', messages(true))
  await data.dialog.getByRole('button', { name: 'Check all rows' }).click()
  await expect(data.faults).toHaveCount(3)
  for (const [index, parts] of FAULTS.entries())
    for (const part of parts) await expect(data.faults.nth(index)).toContainText(part)
  await picture(page, 'chat-import')
  await data.dialog.getByRole('button', { name: 'Close' }).click()
  await data.upload('messages.csv', messages(false))
  await data.dialog.getByRole('button', { name: 'Load the rows' }).click()
  await expect(data.dialog).toContainText(`${formatted(COUNT)} rows loaded.`)
  await data.dialog.getByRole('button', { name: 'Close' }).click()
}

async function limitMessages(workbench: Workbench, page: Page): Promise<void> {
  const { application, data, deploy, diagram, editor, problems } = workbench
  await editor.goBehind(FILE, 'DESC PAGINATE 20;\n')
  await editor.paste(OF_SENDER)
  await expect(problems.count).toHaveText('1 error')
  await data.open()
  await data.button('Headroom').click()
  const share = data.form('Rows that share columns')
  await share.getByLabel('Rows that share').fill('room, sender')
  await share.getByRole('button', { name: 'How many?' }).click()
  await data.content.getByRole('button', { name: /^Limit to \d+/ }).click()
  await expect(diagram.change).toContainText('Now bounded: ofSender.')
  await picture(page, 'chat-limit')
  await diagram.write.click()
  await expect(problems.none).toBeVisible()
  await editor.expectText('schema.piql', /CARDINALITY LIMIT \d+ \(room, sender\)/)
  await deploy.open()
  await expect(deploy.button).toBeEnabled()
  await deploy.button.click()
  await expect(deploy.versions.first()).toContainText('2 live')
  await expect(application.queries).toHaveCount(8)
  await look(page, 'chat-deployed')
}

async function promote(workbench: Workbench, page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Environments of Huddle' }).click()
  await page.getByRole('button', { name: 'Add environment' }).click()
  const form = page.getByRole('dialog', { name: 'Add an environment' })
  await form.getByLabel('Name').fill('Staging')
  await form.getByRole('button', { name: 'Add environment' }).click()
  await page.getByRole('dialog', { name: 'Environments of Huddle' }).getByRole('button', { name: 'Close' }).click()
  await workbench.deploy.content.getByRole('button', { name: 'Promote version 2' }).click()
  await picture(page, 'chat-promote')
  await page.getByRole('button', { name: 'Promote to Staging' }).click()
  await workbench.expectNotice(/Version 2 of development is (on its way in|live in) Staging/)
}

async function compare({ history }: Workbench, page: Page): Promise<void> {
  await history.open()
  const newest = await history.shownNumber()
  await history.saveDeployedAs('development/1').click()
  await history.compareWith(newest)
  await expect(history.detail.getByRole('list', { name: 'Changes' })).toContainText('ofSender')
  await expect(history.detail).toContainText(/CARDINALITY LIMIT \d+ \(room, sender\)/)
  await picture(page, 'chat-compare')
}

async function deleteAndUndelete(workbench: Workbench): Promise<void> {
  const { application, history } = workbench
  await application.rename(FILE, 'queries/talk.piql')
  await application.remove('queries/talk.piql')
  await expect(application.queries).toHaveCount(0)
  await history.open()
  await history.choose(`Rename ${FILE} to queries/talk.piql`)
  await history.compareWith('now')
  await history.restore()
  await expect(application.queries).toHaveCount(8)
  await workbench.finishSaving()
}

async function renameAndDelete(page: Page): Promise<void> {
  await page.goto('/')
  await page.getByRole('button', { name: 'Rename Huddle' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Huddle 2')
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
  const link = page.getByRole('link', { name: 'Huddle 2' })
  await expect(link).toBeVisible()
  await page.getByRole('button', { name: 'Archive Huddle 2' }).click()
  await expect(link).toHaveCount(0)
  await page.getByRole('button', { name: /^Archive: \d+ application/ }).click()
  await page.getByRole('button', { name: 'Bring Huddle 2 back' }).click()
  await expect(link).toBeVisible()
  await page.getByRole('button', { name: 'Delete Huddle 2' }).click()
  await page.getByRole('dialog').getByLabel('Type huddle to delete it').fill('huddle')
  await page.getByRole('button', { name: 'Delete application' }).click()
  await expect(link).toHaveCount(0)
}
