// Applications beside each other: a chat from nothing, from its schema to a second environment, and the two samples.
import type { APIRequestContext } from '@playwright/test'
import { expect, test } from '../fixtures.ts'
import { look, picture } from '../pictures.ts'

const SCHEMA = `CREATE TABLE people (name VARCHAR(32) PRIMARY KEY);

CREATE TABLE messages (
  room   VARCHAR(32),
  sent   INT,
  sender VARCHAR(32),
  text   VARCHAR(200) NOT NULL,
  PRIMARY KEY (room, sent)
);
`
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
const OF_SENDER = 'CREATE QUERY ofSender AS SELECT text FROM messages WHERE room = [1: room] AND sender = [2: sender];'
const APPLICATION = '/api/applications/huddle'

/** 600 messages, 20 of each sender in a room; with three lines that are none, if they are wanted. */
function messages(areBroken: boolean): string {
  const lines = Array.from(
    { length: 600 },
    (_, index) => `room${index % 10},${index},person${index % 6},Hello ${index}`,
  )
  if (areBroken) {
    lines[99] = 'room9,soon,person3,Not a time'
    lines[299] = `room9,299,person5,${'long '.repeat(60)}`
    lines[499] = 'room9,499,person1,'
  }
  return `room,sent,sender,text\n${lines.join('\n')}\n`
}

test('a chat is made from nothing, filled from a file, limited, promoted, renamed, and a deleted file comes back', async ({
  workbench,
  page,
}) => {
  const { application, data, deploy, diagram, editor, history, problems } = workbench
  await page.goto('/')
  await page.getByRole('button', { name: 'New application' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Huddle')
  await page.getByRole('button', { name: 'Create' }).click()
  await expect(page).toHaveURL(/\/applications\/huddle\/development/)
  await write(page.request, 'schema.piql', SCHEMA)
  await write(page.request, 'queries/chat.piql', QUERIES)
  await workbench.open('/applications/huddle/development?panel=diagram&query=newest&file=queries/chat.piql')
  await expect(application.queries).toHaveCount(7)
  await expect(diagram.table('messages')).toBeVisible()
  await look(page, 'chat-diagram')
  await deploy.open()
  await deploy.button.click()
  await expect(deploy.versions.first()).toContainText('live')

  await data.open()
  await data.table.selectOption('messages')
  await data.upload('messages.csv', messages(true))
  await data.dialog.getByRole('button', { name: 'Check all rows' }).click()
  await expect(data.faults).toHaveCount(3)
  await expect(data.faults.first()).toContainText('101')
  await expect(data.faults.first()).toContainText('soon')
  await picture(page, 'chat-import')
  await data.dialog.getByRole('button', { name: 'Close' }).click()
  await data.upload('messages.csv', messages(false))
  await data.dialog.getByRole('button', { name: 'Load the rows' }).click()
  await expect(data.dialog).toContainText('600 rows loaded.')
  await data.dialog.getByRole('button', { name: 'Close' }).click()

  // The eighth query needs a limit; what is in the store keeps it, or the version would be refused.
  await editor.goBehind('queries/chat.piql', 'DESC PAGINATE 20;')
  await editor.type(`\n${OF_SENDER}`)
  await expect(problems.count).toHaveText('1 error')
  await problems.content
    .getByRole('button', { name: /^Add CARDINALITY LIMIT/ })
    .first()
    .click()
  await expect(problems.none).toBeVisible()
  await editor.expectText(
    'schema.piql',
    /CARDINALITY LIMIT \d+ \(room, sender\)|CARDINALITY LIMIT \d+ \(sender, room\)/,
  )
  await deploy.open()
  await expect(deploy.button).toBeEnabled()
  await deploy.button.click()
  await expect(deploy.versions.first()).toContainText('2 live')
  await expect(application.queries).toHaveCount(8)

  await page.getByRole('button', { name: 'Environments of Huddle' }).click()
  await page.getByRole('button', { name: 'Add environment' }).click()
  const form = page.getByRole('dialog', { name: 'Add an environment' })
  await form.getByLabel('Name').fill('Staging')
  await form.getByRole('button', { name: 'Add environment' }).click()
  await page.getByRole('dialog', { name: 'Environments of Huddle' }).getByRole('button', { name: 'Close' }).click()
  await deploy.content.getByRole('button', { name: 'Promote version 2' }).click()
  await page.getByRole('button', { name: 'Promote to Staging' }).click()
  await workbench.expectNotice(/Version 2 of development is (on its way in|live in) Staging/)

  await application.rename('queries/chat.piql', 'queries/talk.piql')
  await application.remove('queries/talk.piql')
  await expect(application.queries).toHaveCount(0)
  await history.open()
  await history.choose('Rename queries/chat.piql to queries/talk.piql')
  await history.compareWith('now')
  await history.restore()
  await expect(application.queries).toHaveCount(8)
  await workbench.finishSaving()

  await page.goto('/')
  await page.getByRole('button', { name: 'Rename Huddle' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Huddle 2')
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
  await expect(page.getByRole('link', { name: 'Huddle 2' })).toBeVisible()
  await page.getByRole('button', { name: 'Delete Huddle 2' }).click()
  await page.getByRole('dialog').getByLabel('Type huddle to delete it').fill('huddle')
  await page.getByRole('button', { name: 'Delete application' }).click()
  await expect(page.getByRole('link', { name: 'Huddle 2' })).toHaveCount(0)
})

test('SCADr and TPC-W stand side by side, each untouched by what is deployed in the other', async ({
  workbench,
  page,
}) => {
  const { application, deploy, editor } = workbench
  const live = async (id: string) =>
    (await (await page.request.get(`/api/applications/${id}/environments/development/deployments/live`)).json()) as {
      version: number
      queries: unknown[]
    }
  const [scadr, tpcw] = [await live('scadr'), await live('tpcw')]
  await workbench.open('/applications/scadr/development?panel=deploy&file=queries/thoughtstream.piql')
  await editor.typeOver('queries/thoughtstream.piql', 'MAX 50', 'MAX 48')
  await deploy.button.click()
  await expect(deploy.versions.first()).toContainText(`${scadr.version + 1} live`)
  expect(await live('tpcw')).toEqual(tpcw)

  await workbench.finishSaving()
  await page.getByRole('combobox', { name: 'Application', exact: true }).selectOption({ label: 'TPC-W' })
  await expect(page).toHaveURL(/\/applications\/tpcw\/development/)
  await expect(application.queries).toHaveCount(21)
  await deploy.open()
  await expect(deploy.state).toContainText('The text is what is live already.')
  const found = await page.request.post(
    '/api/applications/tpcw/environments/development/deployments/live/queries/findUser/executions',
    { data: { parameters: { username: 'ada_birch' } } },
  )
  expect(found.status(), 'a query of SCADr is none of TPC-W').toBe(404)
})

/** Writes a file as another window would, whether it is there or not. */
async function write(request: APIRequestContext, path: string, text: string): Promise<void> {
  const { files } = (await (await request.get(APPLICATION)).json()) as { files: { path: string; revision: string }[] }
  const present = files.find((file) => file.path === path)
  const answer = present
    ? await request.put(`${APPLICATION}/files/${path}`, { data: { text, base_revision: present.revision } })
    : await request.post(`${APPLICATION}/files`, { data: { path, text } })
  expect(answer.ok()).toBe(true)
}
