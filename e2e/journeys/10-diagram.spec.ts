// The panel Diagram: tables with their keys and limits, the steps of the current query over them, and the way to their
// text.
import { expectNoObjections } from '../axe.ts'
import { expect, test } from '../fixtures.ts'
import { look, picture } from '../pictures.ts'

const THOUGHTSTREAM = '/?query=thoughtstream&file=queries/thoughtstream.piql&panel=diagram'
const PANEL = '[role=tabpanel]'

test('the diagram shows tables, keys with their limits, and the steps of the current query', async ({ workbench }) => {
  const { diagram, application } = workbench
  await workbench.open(THOUGHTSTREAM)
  await expect(diagram.tables).toHaveCount(3)
  await expect(diagram.table('subscriptions')).toHaveText('subscriptions, step 1 ≤ 1 op')
  await expect(diagram.steps).toHaveText([
    'step 1subscriptions ≤ 1 op, ≤ 100 rows',
    'step 2thoughts ≤ 100 ops, ≤ 5,000 rows',
  ])
  await expect(diagram.partsOf('subscriptions')).toHaveText([
    'ownerVARCHAR(32) → users',
    'targetVARCHAR(32) → users',
    'approvedBOOLEAN',
    '≤ 100per owner',
    'target, ownerindex, 1 query',
  ])
  await expect(diagram.labels.filter({ hasText: 'owner · ≤ 100' })).toHaveCount(1)

  await application.query('usersFollowedBy').click()
  await expect(diagram.table('users')).toHaveText('users, step 2 ≤ 100 ops')
  await expect(diagram.labels.filter({ hasText: /^target · no limitstep 2≤ 100 ops$/ })).toHaveCount(1)
  await workbench.openFile('queries/findUser.piql')
  await expect(diagram.steps).toHaveText(['step 1users ≤ 1 op, ≤ 1 row'])

  await diagram.show('Query only')
  await expect(diagram.tables).toHaveCount(1)
  await diagram.show('Schema only')
  await expect(diagram.tables).toHaveText(['users', 'subscriptions', 'thoughts'])
  await expect(diagram.steps).toHaveCount(0)
})

test('a click in the diagram goes to the text, arrows go from table to table, and Enter opens', async ({
  workbench,
  page,
}) => {
  const { diagram, editor } = workbench
  await workbench.open(THOUGHTSTREAM)
  await diagram.partsOf('subscriptions').filter({ hasText: 'approved' }).click()
  await expect(editor.region.getByRole('heading')).toHaveText('schema.piql')
  await expect.poll(() => editor.caretLine('schema.piql')).toContain('approved BOOLEAN')

  await diagram.tables.first().focus()
  await page.keyboard.press('Home')
  await expect(diagram.table('users')).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await expect(diagram.drawing.locator(':focus')).toHaveText(/^(subscriptions|thoughts)/)
  await page.keyboard.press('End')
  await expect(diagram.table('thoughts')).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(editor.area).toBeFocused()
  await expect.poll(() => editor.caretLine('schema.piql')).toContain('CREATE TABLE thoughts')
})

test('what nothing bounds is marked in the diagram as in the text, the plan and the table', { tag: '@long' }, async ({
  workbench,
  page,
}) => {
  const { diagram, editor } = workbench
  await workbench.open('/?query=thoughtstream&file=schema.piql&panel=diagram')
  await editor.deleteLine('schema.piql', 'CARDINALITY LIMIT')
  await expect(diagram.table('subscriptions')).toHaveText('subscriptions, step 1 ∞ unbounded')
  await expect(diagram.steps.first()).toHaveText('step 1subscriptions ∞ unbounded')
  await expect(diagram.content.getByRole('list', { name: 'Unbounded segments' })).toContainText('nothing limits')
  await expectNoObjections(page, 'an unbounded query in the diagram', PANEL)
  await diagram.show('Table')
  await expect(diagram.rows.filter({ hasText: 'step 1: ∞ unbounded' })).toHaveCount(1)
  await expectNoObjections(page, 'the diagram as a table', PANEL)
  await diagram.rows.getByRole('button', { name: 'approved BOOLEAN' }).click()
  await expect.poll(() => editor.caretLine('schema.piql')).toContain('approved BOOLEAN')
})

test('the schema is changed in the diagram by keys alone: shown first, written into the text, undone', async ({
  workbench,
  page,
}) => {
  const { diagram, editor } = workbench
  await workbench.open(THOUGHTSTREAM)
  await expect(diagram.table('thoughts')).toBeVisible()
  await editor.expectText('schema.piql', 'CREATE TABLE thoughts')
  const before = await editor.text('schema.piql')
  await diagram.tables.first().focus()
  await page.keyboard.press('End')
  await expect(diagram.table('thoughts')).toBeFocused()
  await page.keyboard.press('e')
  await expect(diagram.change.getByLabel('Table')).toHaveValue('thoughts')
  await expect(diagram.change.getByLabel('Name')).toBeFocused()
  await page.keyboard.type('mood')
  await page.keyboard.press('Tab')
  await page.keyboard.type('VARCHAR(20)')
  await expect(diagram.change.locator('pre')).toContainText('+   mood VARCHAR(20),')
  expect(await editor.text('schema.piql')).toBe(before)
  await picture(page, 'diagram-change')
  await expectNoObjections(page, 'a change of the schema before it is written', 'dialog')
  await expect(diagram.write).toBeEnabled()
  await page.keyboard.press('Enter')
  await expect(diagram.partsOf('thoughts').filter({ hasText: 'mood' })).toHaveCount(1)
  await expect(diagram.table('thoughts')).toBeFocused()
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await expect.poll(() => editor.text('schema.piql')).toBe(before)
  await expect(diagram.partsOf('thoughts').filter({ hasText: 'mood' })).toHaveCount(0) // it is drawn anew by then

  await diagram.table('thoughts').focus()
  await page.keyboard.press('0') // the whole schema: the keys have led to one of its tables
  await diagram.labels.getByText('owner · ≤ 100').click()
  await diagram.change.getByLabel('At most').fill('40')
  await expect(diagram.change.locator('pre')).toContainText('+   CARDINALITY LIMIT 40 (owner),')
  await diagram.write.click()
  await expect(diagram.steps.first()).toHaveText('step 1subscriptions ≤ 1 op, ≤ 40 rows')
  await editor.area.focus()
  await editor.undo()
  await expect.poll(() => editor.text('schema.piql')).toBe(before)

  await diagram.changes('Remove a limit', 'subscriptions')
  await diagram.change.getByLabel('Columns').fill('owner')
  await expect(diagram.change).toContainText('No longer bounded: thoughtstream, usersFollowedBy.')
  await diagram.change.getByLabel('Columns').fill('nobody')
  await expect(diagram.change.getByRole('alert')).toContainText('no limit on nobody')
  await expect(diagram.write).toBeDisabled()
  await page.keyboard.press('Escape')
  expect(await editor.text('schema.piql')).toBe(before)
})

test('thirty tables are shown by their names, found by keys, and shown with their columns on demand', {
  tag: '@long',
}, async ({ workbench, api, page }) => {
  const { diagram, editor } = workbench
  const table = (number: number) => {
    const columns = ['id INT PRIMARY KEY', ...Array.from({ length: 8 }, (_, column) => `column_${column} TEXT`)]
    const key = number < 3 ? [] : [`parent INT REFERENCES member_${Math.floor(number / 3)}`]
    return `CREATE TABLE member_${number} (${[...columns, ...key].join(', ')});`
  }
  await api.create('members.piql', Array.from({ length: 27 }, (_, number) => table(number)).join('\n'))
  await workbench.open('/?query=thoughtstream&file=members.piql&panel=diagram')
  await expect(diagram.tables).toHaveCount(2) // of a large schema the tables of the query are shown first
  await diagram.show('Whole')
  await expect(diagram.tables).toHaveCount(30)
  await expect(diagram.partsOf('member_20')).toHaveCount(0)
  await look(page, 'diagram-30')
  await expectNoObjections(page, 'thirty tables', PANEL)
  await page.getByLabel('Find a table').pressSequentially('member_20')
  await page.keyboard.press('Enter')
  await expect(diagram.table('member_20')).toBeFocused()
  await expect(diagram.table('member_20')).toBeInViewport({ ratio: 1 })
  expect(await editor.caretLine('members.piql')).toContain('member_0 ') // Enter in the field opens no text
  await diagram.content.getByRole('button', { name: 'Show columns' }).click()
  await expect(diagram.partsOf('member_20').filter({ hasText: 'column_7' })).toHaveCount(1)
})

test('a line pulled between two tables asks for the reference, and the diagram is saved as a picture', async ({
  workbench,
  page,
}) => {
  const { diagram } = workbench
  await workbench.open(THOUGHTSTREAM)
  await diagram.pull('users', 'thoughts')
  await expect(diagram.change.getByLabel('Change', { exact: true })).toHaveValue('add-reference')
  await expect(diagram.change.getByLabel('Table')).toHaveValue('users')
  await expect(diagram.change.getByLabel('References')).toHaveValue('thoughts')
  await page.keyboard.press('Escape')
  for (const kind of ['SVG', 'PNG'] as const) {
    const [picture] = await Promise.all([page.waitForEvent('download'), diagram.save(kind).click()])
    expect(picture.suggestedFilename()).toBe(`schema-thoughtstream.${kind.toLowerCase()}`)
  }
})

test('the stripes of a view follow from the writes a second, and are written with the queries that read it', {
  tag: '@long',
}, async ({ workbench, api, page }) => {
  const { diagram, editor } = workbench
  await api.measuredRun()
  await api.create(
    'queries/fans.piql',
    'CREATE VIEW fans AS SELECT target, COUNT(*) AS n FROM subscriptions GROUP BY target;\n' +
      'CREATE QUERY fansOf AS SELECT n FROM fans WHERE target = [1: who];\n',
  )
  await workbench.open('/?query=fansOf&file=queries/fans.piql&panel=diagram')
  await diagram.partsOf('fans').filter({ hasText: 'no stripes' }).click()
  await expect(diagram.change.getByLabel('View')).toHaveValue('fans')
  await diagram.change.getByLabel('Writes a second to the hottest group').fill('50')
  await expect(diagram.change).toContainText('stripes do not help here') // the store of the journeys is one file
  await diagram.change.getByRole('radio', { name: '8', exact: true }).check()
  await expect(diagram.change.locator('pre').first()).toContainText('STRIPES 8;')
  await expect(diagram.change).toContainText('Compiled: every query keeps its bound.')
  await expectNoObjections(page, 'the stripes of a view before they are written', 'dialog')
  await diagram.write.click()
  await expect(diagram.partsOf('fans').filter({ hasText: '8 stripes' })).toHaveCount(1)
  await expect(diagram.steps).toHaveText(['step 1fans ≤ 8 ops, ≤ 8 rows'])
  await editor.expectText('queries/fans.piql', 'SELECT SUM(n) AS n FROM fans WHERE target = [1: who] GROUP BY target;')
})
