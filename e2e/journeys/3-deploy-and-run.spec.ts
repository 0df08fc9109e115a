// Deploying a text as a version, with what it changes and why it may be refused, and running the queries of that version.
import { expect, test } from '../fixtures.ts'
import { look, picture } from '../pictures.ts'

const READER = 'ada_birch'
const WRITER = 'alan_birch'
const FOLLOWER = 'anna_birch'

test('a changed query is deployed as a new version', async ({ workbench, page }) => {
  const { deploy, editor, flow, run } = workbench
  await workbench.open(
    '/applications/scadr/development?query=thoughtstream&file=queries/thoughtstream.piql&panel=deploy',
  )
  await editor.typeOver('queries/thoughtstream.piql', 'MAX 50', 'MAX 40')
  await expect(deploy.state).toContainText('Every query is bounded')
  await expect(deploy.changes).toContainText(['thoughtstream'])
  await picture(page, 'deploy')
  const [name = ''] = await deploy.button.allInnerTexts()
  const version = name.replace('Deploy version ', '')
  await deploy.button.click()
  await workbench.expectNotice(`Version ${version} is live with 12 queries.`)
  await expect(deploy.versions.first()).toContainText(`${version} live`)
  await expect(flow.step('Deploy')).toContainText(`version ${version} live`)
  await expect(flow.lead).not.toContainText('differs')

  await run.open()
  await run.execute('thoughtstream', { me: READER, count: '41' })
  await expect(run.parameter('count')).toHaveAccessibleDescription(/40/)
})

test('the deploy panel says what it is about, and offers only what there is to do', async ({ workbench, api }) => {
  const { deploy, editor } = workbench
  await api.deploy()
  await workbench.open('/applications/scadr/development?query=findUser&file=queries/findUser.piql&panel=deploy')
  await deploy.predictFrom('no profile run')
  await expect(deploy.state).toContainText('This text is already live.')
  await expect(deploy.button).toBeDisabled()
  await editor.typeOver('queries/findUser.piql', 'One user by name.', 'One user, by the name.')
  await expect(deploy.state).toContainText('Only the text differs from what is live')
  await expect(deploy.button).toBeEnabled()
  await editor.typeOver('queries/findUser.piql', 'SELECT username', 'SELECT nobody')
  await expect(deploy.alert).toContainText('Deploying is refused: 1 error.')
  await expect(deploy.reasons).toHaveCount(1)
  await expect(deploy.button).toBeDisabled()
})

test('a refusal of the data leaves with the text that was refused', async ({ workbench, api }) => {
  const { deploy, editor } = workbench
  await api.deploy()
  await workbench.open('/applications/scadr/development?file=schema.piql&panel=deploy')
  await editor.typeOver('schema.piql', 'LIMIT 100', 'LIMIT 5')
  await expect(deploy.state).toContainText('Every query is bounded')
  await deploy.button.click()
  await expect(deploy.alert).toContainText('at most 5 rows may share one owner')
  await editor.typeOver('schema.piql', 'LIMIT 5', 'LIMIT 100')
  await expect(deploy.state).toContainText('This text is already live.')
  await expect(deploy.alert).toHaveCount(0)
})

test('a text without a query says how many would go', async ({ workbench, page }) => {
  const { deploy, editor, flow } = workbench
  await page.route('**/api/applications/scadr', async (route) => {
    const answer = await route.fetch()
    const application = await answer.json()
    await route.fulfill({
      json: {
        ...application,
        files: application.files.filter((file: { path: string }) => file.path === 'schema.piql'),
      },
    })
  })
  await page.goto('/applications/scadr/development?file=schema.piql&panel=deploy')
  await editor.lines.first().waitFor()
  await expect(deploy.state).toContainText('No query would be live: this removes 12 queries.')
  await expect(flow.step('Write')).toContainText('no query yet')
  await expect(flow.lead).toContainText('There is no query yet')
  await page.unrouteAll({ behavior: 'wait' }) // a request under way must not outlive the page
})

test('a new index is built while the live version answers, and the change is called off', async ({
  workbench,
  api,
  page,
}) => {
  const { deploy, run } = workbench
  await api.buildSlowly('CREATE QUERY byText AS SELECT owner FROM thoughts WHERE text = [1: text] LIMIT 3;', 100)
  await workbench.open('/applications/scadr/development?panel=deploy')
  await expect(deploy.onItsWay.getByRole('progressbar')).toBeVisible()
  await expect(deploy.onItsWay.getByRole('status')).toContainText(/Filling new indexes: [\d,]+ of about [\d,]+ rows\./)
  await expect(deploy.button).toBeDisabled()
  await picture(page, 'build')

  await deploy.steer('Pause')
  await expect(deploy.onItsWay.getByRole('status')).toContainText('It is paused.')
  await run.open()
  await run.execute('findUser', { username: READER })
  await expect(run.rows).toHaveCount(1)

  await deploy.open()
  await deploy.steer('Resume')
  await expect(deploy.onItsWay.getByRole('status')).not.toContainText('paused')
  await deploy.steer('Cancel')
  await expect(deploy.onItsWay).toBeHidden()
  await expect(deploy.state).toContainText('already live')
})

test('a deployment is rolled back, and keeps what was written', async ({ workbench, api }) => {
  const { deploy, editor, run } = workbench
  await workbench.open('/applications/scadr/development?query=findUser&file=queries/findUser.piql&panel=deploy')
  const before = (await deploy.versions.filter({ hasText: 'live' }).innerText()).trim().split(/\s/)[0] ?? ''
  await editor.typeOver('queries/findUser.piql', 'SELECT username, hometown', 'SELECT hometown')
  await deploy.button.click()
  await workbench.expectNotice('is live with 12 queries.')
  await api.execute('addUser', { username: 'newcomer', hometown: 'Oslo' })
  await deploy.rollBackTo(before)
  await workbench.expectNotice(`version ${before} again`)
  await run.open()
  await run.execute('findUser', { username: 'newcomer' })
  await expect(run.rows).toContainText(['newcomer'])
})

test('a query without a bound cannot be run, and its problem is one click away', async ({ workbench }) => {
  const { editor, problems, run } = workbench
  await workbench.open('/applications/scadr/development?query=byTown&file=queries/findUser.piql&panel=run')
  await editor.typeOver('queries/findUser.piql', 'QUERY findUser', 'QUERY byTown')
  await editor.typeOver('queries/findUser.piql', 'WHERE username', 'WHERE hometown')
  await expect(run.content.getByRole('status')).toContainText('byTown has no bound: it cannot be deployed and run.')
  await run.content.getByRole('button', { name: 'Show the problem' }).click()
  await expect(problems.items.first()).toContainText('nothing limits how many there are')
})

test('a query whose text is newer than what runs says so', async ({ workbench }) => {
  const { editor, run } = workbench
  await workbench.open('/applications/scadr/development?query=myThoughts&file=queries/myThoughts.piql&panel=run')
  await expect(run.content.getByRole('button', { name: 'Run myThoughts' })).toBeVisible()
  await expect(run.content.getByText('runs as it was deployed')).toHaveCount(0)
  await editor.typeOver('queries/myThoughts.piql', 'PAGINATE 10', 'PAGINATE 20')
  await expect(run.content.getByRole('status')).toContainText(
    /The text of myThoughts has changed; version \d+ runs as it was deployed\./,
  )
  await editor.typeOver('queries/myThoughts.piql', 'PAGINATE 20', ' ')
  await expect(run.content.getByRole('status')).toContainText('The text of myThoughts has no bound now')
  await expect(run.content.getByRole('button', { name: 'Show the problem' })).toBeVisible()
})

test('what deploying changes of the tables is said before, and what cannot change', async ({ workbench, page }) => {
  const { editor, deploy } = workbench
  await workbench.open('/applications/scadr/development?file=schema.piql&panel=deploy')
  await editor.typeOver('schema.piql', 'LIMIT 100', 'LIMIT 90')
  await expect(deploy.tables).toContainText('CARDINALITY LIMIT 100 (owner) → 90')
  await expect(deploy.tables).toContainText('The rows there are will be checked first')
  await editor.typeOver('schema.piql', 'PRIMARY KEY (owner, posted)', 'PRIMARY KEY (posted, owner)')
  await expect(deploy.alert.first()).toContainText('Deploying will be refused: thoughts cannot change like this.')
  await expect(deploy.tables).toContainText('its primary key is (owner, posted) and cannot change')
  await look(page, 'deploy-tables')
})

test('thoughtstream runs for a user, within its bound', async ({ workbench, page }) => {
  const { run } = workbench
  await workbench.open('/applications/scadr/development?query=thoughtstream&file=queries/thoughtstream.piql&panel=run')
  await run.execute('thoughtstream', { me: READER, count: '10' })
  await expect(run.rows).toHaveCount(10)
  await expect(run.cost).toContainText('10 rows')
  await expect(run.cost).toContainText(/\d of ≤ 101 operations2 trips/)
  const times = await run
    .column(1)
    .locator('time')
    .evaluateAll((all) => all.map((time) => time.getAttribute('datetime') ?? ''))
  expect(times).toEqual(times.toSorted().toReversed())
  await picture(page, 'run')
})

test('myThoughts is read page by page, forwards and back', async ({ workbench }) => {
  const { run } = workbench
  await workbench.open('/applications/scadr/development?query=myThoughts&panel=run')
  await run.execute('myThoughts', { me: READER })
  await expect(run.rows).toHaveCount(10)
  const first = await run.column(1).allInnerTexts()
  await run.nextPage()
  await expect(run.result).toContainText('Page 2')
  await expect(run.rows).toHaveCount(10)
  const second = await run.column(1).allInnerTexts()
  expect(second.some((time) => first.includes(time))).toBe(false)
  await run.previousPage()
  await expect(run.result).toContainText('Page 1')
  await expect(run.column(1)).toHaveText(first)
})

test('a thought that is posted stands on top of the writer’s thoughts', async ({ workbench }) => {
  const { run } = workbench
  const text = 'Every request is counted, and there were three.'
  await workbench.open('/applications/scadr/development?query=postThought&panel=run')
  await run.choose('postThought')
  await run.fill({ me: WRITER, text })
  await run.fillNow('posted')
  await run.submit('postThought')
  await expect(run.result).toContainText('Done.')
  await expect(run.cost).toContainText(/of ≤ \d operations/)

  await run.execute('myThoughts', { me: WRITER })
  await expect(run.rows.first()).toContainText(text)
})

test('NULL is chosen beside a field, by the keyboard, and is not an empty text', async ({ workbench }) => {
  const { run } = workbench
  await workbench.open('/applications/scadr/development?query=postThought&panel=run')
  await run.fill({ me: WRITER, text: 'no text at all' })
  await run.fillNow('posted')
  const choice = await run.toggleNull('text')
  await expect(choice).toHaveAttribute('aria-pressed', 'true')
  await expect(run.parameter('text')).toHaveValue('')
  await run.submit('postThought')
  await expect(run.result).toContainText('Done.')
  await run.execute('myThoughts', { me: WRITER })
  await expect(run.rows.first().getByText('null', { exact: true })).toBeVisible()
})

test('the 101st subscription of a user is refused, and why is said', async ({ workbench, api }) => {
  const { run } = workbench
  await api.followUntil(FOLLOWER, 100)
  await workbench.open('/applications/scadr/development?query=subscribe&panel=run')
  await run.execute('subscribe', { owner: FOLLOWER, target: FOLLOWER })
  await expect(run.alert).toContainText('CARDINALITY LIMIT')
  await expect(run.alert).toContainText('100')
  await expect(run.alert).toContainText('Delete a row first, or raise the CARDINALITY LIMIT.')

  await run.execute('findSubscription', { owner: FOLLOWER, target: FOLLOWER })
  await expect(run.result).toContainText('No rows.')
})

test('what was typed into a form is still there after a look at the plan', async ({ workbench }) => {
  const { run, plan } = workbench
  await workbench.open('/applications/scadr/development?query=findUser&panel=run')
  await run.fill({ username: WRITER })
  await plan.open()
  await run.open()
  await expect(run.parameter('username')).toHaveValue(WRITER)
  await run.submit('findUser')
  await expect(run.rows).toContainText([WRITER])
})

test('the query in the editor is run by Mod+Enter', async ({ workbench, page }) => {
  const { run, editor } = workbench
  await workbench.open('/applications/scadr/development?query=findUser&file=queries/findUser.piql')
  await editor.area.focus()
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(run.rows).toHaveCount(1)
})

test('bytes and whole numbers beyond 2^53 are written and read as they were typed', async ({ workbench, api }) => {
  const { run } = workbench
  await api.create(
    'queries/notes.piql',
    `CREATE TABLE notes (owner VARCHAR(32), at INT, body BLOB, n BIGINT, PRIMARY KEY (owner, at), CARDINALITY LIMIT 20 (owner));
     CREATE QUERY addNote AS INSERT INTO notes (owner, at, body, n) VALUES ([1: me], [2: at], [3: body], [4: n]);
     CREATE QUERY notesOf AS SELECT n, body FROM notes WHERE owner = [1: me];`,
  )
  await api.deploy()
  await workbench.open('/applications/scadr/development?query=addNote&panel=run')
  await run.execute('addNote', { me: 'ada', at: '1', body: 'AQID', n: '9007199254740993' })
  await expect(run.result).toContainText('Done.')
  await run.execute('notesOf', { me: 'ada' })
  await expect(run.rows).toContainText(['9007199254740993'])
  await expect(run.rows).toContainText(['AQID'])
})
