// Writing: the bound of every query is in sight, a missing limit is found and brought back, plans are followed step by
// step, and schemas of other databases are imported.
import { expect, test } from '../fixtures.ts'
import { look, picture } from '../pictures.ts'

const LIMIT = 'CARDINALITY LIMIT 100 (owner)'
const SELECT_ONE = 'SELECT hometown FROM users WHERE username = [name];'
const GROWS = /^subscriptions of one owner.*: nothing limits how many there are; a precomputed view could hold/

test('the workbench opens on SCADr, whose queries are all bounded', async ({ workbench, page }) => {
  const { application, problems, plan, bounds, editor } = workbench
  await workbench.open()
  await expect(application.file('schema.piql')).toBeVisible()
  await expect(application.file('thoughtstream.piql')).toBeVisible()
  await expect(application.queries).toHaveCount(12)
  await expect(problems.none).toBeVisible()
  await expect(workbench.status).toContainText('No problems')
  await expect(application.query('thoughtstream')).toContainText('≤ 101 ops')
  await expect(editor.lenses).toContainText('≤ 101 ops · 2 trips · class II')
  await expect(plan.node('SortedIndexJoin')).toBeVisible()
  await picture(page, 'workbench')

  await bounds.open()
  await expect(bounds.scalingClass).toHaveText('class II')
  await expect(bounds.operations).toContainText('≤ 101 operations')
  await expect(bounds.operations).toContainText('1 + subscriptions.owner = 1 + 100')
  await expect(bounds.proofs).toContainText('schema.piql:12')
})

test('a query on one line has its bound in sight, also at the end of the line', async ({ workbench, api, page }) => {
  const { editor, bounds } = workbench
  const where = 's.owner = [1: me] AND s.approved = TRUE ORDER BY t.posted DESC, t.owner'
  const query = `CREATE QUERY inOneLine AS SELECT t.owner, t.text FROM subscriptions s JOIN thoughts t ON t.owner = s.target WHERE ${where} LIMIT 9;`
  await api.create(
    'queries/inOneLine.piql',
    `${query}\nCREATE QUERY one AS ${SELECT_ONE} CREATE QUERY other AS ${SELECT_ONE}\n`,
  )
  await workbench.open('/applications/scadr/development?query=one&file=queries/inOneLine.piql')
  await expect(editor.lensOf('inOneLine')).toHaveText(/^≤ 101 ops · 2 trips · class II/)
  await expect(editor.lensOf('inOneLine')).toBeInViewport({ ratio: 1 })
  await expect(editor.lensOf('one')).toHaveText(/^one ≤ 1 op/)
  await expect(editor.lensOf('other')).toHaveText(/^other ≤ 1 op/)

  await editor.goBehind('queries/inOneLine.piql', 'LIMIT 9')
  await expect(editor.lensOf('inOneLine')).toBeInViewport({ ratio: 1 })
  await workbench.openFile('queries/findUser.piql')
  await expect(editor.lensOf('findUser')).toBeInViewport({ ratio: 1 })
  await workbench.openFile('queries/inOneLine.piql')
  await expect(editor.lensOf('inOneLine')).toBeInViewport({ ratio: 1 })
  await editor.lensOf('inOneLine').click()
  await expect(bounds.operations).toContainText('≤ 101 operations')
  await expect(page).toHaveURL(/query=inOneLine/)
})

test('bounds stand above their queries, also when the whole text is replaced by another of as many lines', async ({
  workbench,
  api,
  page,
}) => {
  const { editor } = workbench
  const path = 'queries/three.piql'
  const text = (names: readonly string[]) => names.map((name) => `CREATE QUERY ${name} AS\n${SELECT_ONE}\n`).join('')
  await api.create(path, text(['first', 'second', 'third']))
  await workbench.open(`/?query=first&file=${path}`)
  await expect(editor.lensOf('third')).toBeVisible()
  await editor.area.focus()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.insertText(text(['fourth', 'fifth', 'sixth']))
  for (const name of ['fourth', 'fifth', 'sixth']) {
    await expect(editor.lensOf(name)).toBeVisible()
    const gap = async () =>
      ((await editor.lines.filter({ hasText: name }).boundingBox())?.y ?? 0) -
      ((await editor.lensOf(name).boundingBox())?.y ?? 0)
    await expect.poll(gap, { message: `how far ${name} is below its bound` }).toBeGreaterThan(10)
    await expect.poll(gap, { message: `how far ${name} is below its bound` }).toBeLessThan(25)
  }
})

test('what a code means is one click away, from the problem and from the text', async ({ workbench, page }) => {
  const { editor, problems, code } = workbench
  await workbench.open('/applications/scadr/development?query=thoughtstream&file=schema.piql')
  await editor.deleteLine('schema.piql', LIMIT)
  await problems.code('unbounded-scan').click()
  await expect(code).toContainText('unbounded-scan is an error: a set of queries that has one is not deployed.')
  await expect(page).toHaveURL(/code=unbounded-scan/)
  await code.getByRole('link', { name: 'All codes' }).click()
  await code.getByRole('link', { name: 'unbounded-join' }).click()
  await expect(code).toContainText('unbounded-join is an error')
  await page.keyboard.press('Escape')
  await expect(code).toHaveCount(0)
  await expect(page).not.toHaveURL(/code=/)

  await workbench.openFile('queries/thoughtstream.piql')
  await (await editor.hoverFirstSquiggle()).click()
  await expect(code).toContainText('The compiler says')
  await page.goBack()
  await expect(code).toHaveCount(0)
})

test('a limit that goes is missed in the query, in the plan, on the table and at deploying', async ({
  workbench,
  page,
}) => {
  const { application, editor, flow, problems, plan, deploy } = workbench
  await workbench.open('/applications/scadr/development?query=thoughtstream')
  await workbench.openFile('schema.piql')
  await editor.deleteLine('schema.piql', LIMIT)
  await editor.expectNoText('schema.piql', LIMIT)

  await expect(problems.count).toHaveText('2 errors')
  await expect(flow.step('Write')).toContainText('2 errors')
  await expect(flow.lead).toContainText('2 errors: nothing can be deployed')
  await expect(problems.items).toHaveCount(2)
  await expect(problems.sentence('queries/thoughtstream.piql:5')).toHaveText(GROWS)
  const message = await problems.sentence('queries/thoughtstream.piql:5').innerText()
  const [reason] = message.split(';')
  await expect(plan.findings).toContainText(`unbounded ${reason}`)
  await expect(plan.unboundedNodes.first()).toBeVisible()
  await expect(application.table('subscriptions')).toContainText('unbounded')
  await expect(editor.unbounded).toHaveText('subscriptions')
  await expect(editor.lenses).toContainText('unbounded in thoughtstream, usersFollowedBy')
  await expect(application.query('thoughtstream')).toContainText('unbounded')

  await workbench.openFile('queries/thoughtstream.piql')
  await expect(editor.unbounded.first()).toBeVisible()
  await expect(editor.squiggles.first()).toBeVisible()
  await expect(editor.lenses).toContainText('unbounded')
  await expect(editor.sentences).toHaveText(`unbounded: ${reason}`)
  await picture(page, 'unbounded')

  await deploy.open()
  await expect(deploy.alert).toContainText('Deploying is refused: 2 errors.')
  await expect(deploy.reasons.first()).toContainText(reason)
  await expect(deploy.button).toBeDisabled()
  await expect(deploy.versions.first()).toContainText('live')
})

test('problems are copied as text, one or all', async ({ workbench, page, context, baseURL }) => {
  const { editor, problems } = workbench
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: baseURL ?? '' })
  const copied = () => page.evaluate(() => navigator.clipboard.readText())
  await workbench.open('/applications/scadr/development?file=schema.piql')
  await editor.deleteLine('schema.piql', LIMIT)
  await expect(problems.items).toHaveCount(2)
  await problems.copyAll()
  await workbench.expectNotice('Copied 2 problems.')
  const both = await copied()
  expect(both.split('\n\n')).toHaveLength(2)
  await problems.copyOne('queries/usersFollowedBy.piql:5')
  await workbench.expectNotice('Copied the problem.')
  const one = await copied()
  expect(one).toMatch(
    /^error\[unbounded-scan\]: subscriptions of one owner: .*\n --> queries\/usersFollowedBy\.piql:5:7\n/,
  )
  expect(both).toContain(one)
})

test('the light bulb brings the limit back', async ({ workbench, api, page }) => {
  const { application, editor, problems, plan, deploy } = workbench
  await api.deploy() // an earlier journey may have deployed other texts
  await workbench.open('/applications/scadr/development?query=thoughtstream')
  await workbench.openFile('schema.piql')
  await editor.deleteLine('schema.piql', LIMIT)
  await expect(problems.items).toHaveCount(2)

  await workbench.openFile('queries/thoughtstream.piql')
  await editor.goBehind('queries/thoughtstream.piql', 's.owner =')
  await editor.openLightBulb()
  await expect(editor.fixes.first()).toContainText(`Add ${LIMIT} to subscriptions`)
  await expect(editor.fixes.first()).toContainText('also unblocks usersFollowedBy')
  await picture(page, 'quick-fix')
  await editor.applyFix(`Add ${LIMIT}`)

  await editor.expectText('schema.piql', LIMIT)
  await expect(problems.none).toBeVisible()
  await expect(plan.findings).toHaveCount(0)
  await expect(plan.unboundedNodes).toHaveCount(0)
  await expect(application.query('thoughtstream')).toContainText('≤ 101 ops')
  await expect(application.table('subscriptions')).toContainText('≤ 100 per owner')
  await deploy.open()
  await expect(deploy.state).toContainText('Only the text differs from what is live')
})

test('a fix is applied by the keyboard alone, and undone', async ({ workbench }) => {
  const { editor, problems } = workbench
  await workbench.open('/applications/scadr/development?query=thoughtstream')
  await workbench.openFile('schema.piql')
  await editor.deleteLine('schema.piql', LIMIT)
  await expect(problems.items).toHaveCount(2)
  await editor.goBehind('schema.piql', 'CREATE TABLE subscriptions')
  await editor.applyFirstFixByKeyboard()
  await editor.expectText('schema.piql', LIMIT)
  await expect(problems.none).toBeVisible()
  await editor.undo()
  await expect(problems.items).toHaveCount(2)
})

test('the plan is followed from the text through every rule, and a node leads to its source', async ({
  workbench,
  page,
}) => {
  const { plan, editor } = workbench
  await workbench.open('/applications/scadr/development?query=thoughtstream&panel=plan')
  await expect(plan.stages).toContainText([
    'as written',
    'push selection down',
    'insert data stops',
    'push stop down',
    'Phase I',
    'physical',
  ])
  await plan.showStage('insert data stops')
  await expect(plan.node('DataStop')).toBeVisible()
  await expect(page).toHaveURL(/stage=insert_data_stops/)
  await plan.showStage('physical')
  await plan.node('IndexScan').click()
  await expect(editor.selectedSource).not.toHaveCount(0)
  await expect(page).toHaveURL(/node=/)
})

test('a plan is weighed by rows, and what is live stands beside it with the difference in a sentence', async ({
  workbench,
  page,
}) => {
  const { editor, plan } = workbench
  await workbench.open('/applications/scadr/development?query=thoughtstream&file=queries/thoughtstream.piql')
  await plan.content.getByLabel('Heaviest by').selectOption('by rows')
  await expect(plan.node('SortedIndexJoin')).toHaveAccessibleName(/first 50 \[count\], ≤ 5,000 rows, ≤ 100 ops/)
  await plan.content.getByRole('button', { name: 'Compare with live' }).click()
  await expect(plan.difference).toHaveText(/^Live, version \d+The same plan\.$/)
  await expect(plan.content.getByRole('tree')).toHaveCount(2)
  await editor.typeOver('queries/thoughtstream.piql', 'MAX 50', 'MAX 40')
  await expect(plan.difference).toContainText('≤ 50 → 40 rows')
  await page.reload()
  await expect(plan.difference).toContainText('≤ 50 → 40 rows')
  await look(page, 'two-plans')
})

test('a new file is named, made and written without a pointer', async ({ workbench, page }) => {
  const { application, editor } = workbench
  await workbench.open()
  await page.getByRole('button', { name: 'New file' }).press('Enter')
  await page.keyboard.type('hometownOf')
  await page.keyboard.press('Enter')
  await expect(application.file('hometownOf.piql')).toBeVisible()
  await expect(editor.area).toBeFocused()
  await page.keyboard.type('CREATE QUERY hometownOf AS SELECT hometown FROM users WHERE username = [1: u];')
  await expect(application.query('hometownOf')).toContainText('≤ 1 op')
})

test('a schema of another database becomes a file, after a look at what is left out', async ({ workbench, page }) => {
  const { application, problems } = workbench
  await workbench.open()
  await page.getByRole('button', { name: 'Import schema' }).click()
  const dialog = page.getByRole('dialog', { name: 'Import a schema' })
  const schema = dialog.getByLabel('Schema', { exact: true })
  await schema.fill('CREATE TABLE `order` (')
  await dialog.getByRole('button', { name: 'Read schema' }).click()
  await expect(dialog.getByRole('alert')).toContainText('Line 1 of the schema: the bracket (')

  await dialog.getByLabel('File').setInputFiles({
    name: 'shop.sql',
    mimeType: 'application/sql',
    buffer: Buffer.from(
      'CREATE TABLE `order` (\n  `id` int NOT NULL AUTO_INCREMENT,\n  `tags` json,\n  PRIMARY KEY (`id`)\n);\n' +
        'CREATE VIEW v AS SELECT 1;\n',
    ),
  })
  await expect(schema).toHaveValue(/AUTO_INCREMENT/)
  await dialog.getByLabel('Queries').fill('SELECT tags FROM `order` WHERE id = ?')
  await dialog.getByRole('button', { name: 'Read schema' }).click()
  await expect(dialog.getByRole('status')).toHaveText(
    'MySQL: 1 table and 1 query from 2 of 3 statements; the list says why 1 is left out.',
  )
  await expect(dialog.getByRole('row', { name: /^6 CREATE VIEW v/ })).toContainText('views are not translated')
  await expect(application.file('imported.piql')).toHaveCount(0)

  await dialog.getByRole('button', { name: 'Write file' }).click()
  await expect(application.file('imported.piql')).toBeVisible()
  await expect(application.table('order')).toBeVisible()
  await expect(application.query('selectOrder')).toContainText('≤ 1 op')
  await expect(problems.count).toHaveText('1 hint')
  await problems.open()
  await expect(problems.items).toHaveCount(1) // JSON has no length: that is said, and costs nothing
  await expect(problems.items).toContainText('selectOrder')
})

test('a column without a length is told of once, at its declaration, however many queries read it', async ({
  workbench,
  api,
  page,
}) => {
  const { problems, bounds, editor } = workbench
  await api.create('notes.piql', 'CREATE TABLE notes (\n  id INT PRIMARY KEY,\n  body TEXT\n);\n')
  await api.create(
    'queries/notes.piql',
    ['first', 'second', 'third']
      .map((name) => `CREATE QUERY ${name} AS SELECT body FROM notes WHERE id = [id];`)
      .join('\n'),
  )
  await workbench.open('/applications/scadr/development?query=second&file=queries/notes.piql&panel=bounds')
  await expect(workbench.status).toContainText('1 hint')
  await problems.open()
  await expect(problems.items).toHaveCount(1)
  await expect(problems.about('notes.piql:3')).toContainText(
    'body has no length, so the bytes of 3 queries count 64 KiB for each of its values',
  )
  await look(page, 'unsized-column')
  await expect(bounds.content).toContainText('if no value of notes.body is longer than 64 KiB')
  await bounds.content.getByRole('button', { name: 'notes.body' }).click()
  await expect(page).toHaveURL(/file=notes\.piql/)
  await editor.typeOver('notes.piql', 'TEXT', 'VARCHAR(200)')
  await expect(problems.none).toBeVisible()
  await workbench.finishSaving()
})
