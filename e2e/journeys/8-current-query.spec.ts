// There is one current query: the caret, the sidebar and every panel agree on it, and the run key executes no other one.
import type { Page, Request } from '@playwright/test'
import { expect, test } from '../fixtures.ts'
import type { Workbench } from '../pages/Workbench.ts'

const FIND_USER = 'queries/findUser.piql'
const SUBSCRIBE = 'queries/subscribe.piql'
const TWO = 'queries/two.piql'
const TWO_QUERIES = `-- Two queries.
CREATE QUERY townOf AS SELECT hometown FROM users WHERE username = [1: name];

CREATE QUERY nameOf AS SELECT username FROM users WHERE username = [1: name];
`

/** Records the query and the request body of each execution from now on; both lists grow while the page is used. */
function executionsOn(page: Page): { queries: string[]; bodies: unknown[] } {
  const executions = { queries: [] as string[], bodies: [] as unknown[] }
  page.on('request', (request: Request) => {
    const [, query] = /\/queries\/([^/]+)\/executions$/.exec(new URL(request.url()).pathname) ?? []
    if (!query || request.method() !== 'POST') return
    executions.queries.push(query)
    executions.bodies.push(request.postDataJSON())
  })
  return executions
}

/** Sidebar, editor and every panel that names the current query name `query`. */
async function expectCurrent(
  { application, editor, bounds, plan, heatmap, run }: Workbench,
  query: string,
): Promise<void> {
  await expect(application.currentQuery).toHaveCount(1)
  await expect(application.currentQuery).toHaveText(new RegExp(`^${query}`))
  await expect(editor.explain).toHaveText(`Explain ${query}`)
  await plan.open()
  await expect(plan.content.getByRole('heading', { name: query })).toBeVisible()
  await heatmap.open()
  await expect(heatmap.content.getByLabel('Query', { exact: true })).toHaveValue(query)
  await run.open()
  await expect(run.form(query)).toBeVisible()
  await editor.explain.click()
  await expect(bounds.content.getByRole('heading', { name: query })).toBeVisible()
}

test('the caret in a SELECT of one file runs that one, though an INSERT of another file was chosen before', {
  tag: '@long',
}, async ({ workbench, api, page }) => {
  const { application, editor, run } = workbench
  await api.measuredRun()
  await workbench.open('/applications/scadr/development')
  await application.query('subscribe').click()
  await expect(editor.region.getByRole('heading')).toHaveText('queries / subscribe.piql')
  await expectCurrent(workbench, 'subscribe')
  const executions = executionsOn(page)

  await workbench.openFile(FIND_USER)
  await expectCurrent(workbench, 'findUser')
  await editor.goBehind(FIND_USER, 'SELECT')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(run.rows).toHaveCount(1)
  expect(executions.queries).toEqual(['findUser'])

  await page.goBack()
  await expectCurrent(workbench, 'findUser')
})

test('a write is shown before a key runs it, and runs with the values that were shown', async ({ workbench, page }) => {
  const { application, editor, run } = workbench
  const executions = executionsOn(page)
  await workbench.open(`/?file=${SUBSCRIBE}&query=subscribe`)
  await expect(application.currentQuery).toHaveText(/^subscribe/)
  await editor.goBehind(SUBSCRIBE, 'INSERT')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(run.parameter('owner')).toBeFocused()
  await expect(run.form('subscribe').getByRole('status')).toContainText('Nothing has run yet. subscribe writes')
  expect(executions.queries).toEqual([])

  // With the focus in the text again, the key only shows the form, as before.
  await editor.area.focus()
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(run.parameter('owner')).toBeFocused()
  expect(executions.queries).toEqual([])

  await run.fill({ owner: 'bjarne_brook', target: 'ada_brook' })
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(run.result).toContainText('Done.')
  expect(executions.queries).toEqual(['subscribe'])
  expect(executions.bodies).toEqual([
    expect.objectContaining({ parameters: expect.objectContaining({ owner: 'bjarne_brook', target: 'ada_brook' }) }),
  ])
})

test('a run that was asked for and left does not come when its form is opened later', async ({ workbench, page }) => {
  const { application, editor, plan, run } = workbench
  const executions = executionsOn(page)
  await workbench.open(`/?file=${FIND_USER}&query=findUser`)
  let releaseSamples: () => void = () => undefined
  const samplesReleased = new Promise<void>((resolve) => (releaseSamples = resolve))
  let heldRequests = 0
  await page.route('**/sample-parameters', async (route) => {
    heldRequests += 1
    await samplesReleased
    await route.continue().catch(() => undefined) // the page may no longer wait for it
  })
  await editor.goBehind(FIND_USER, 'SELECT')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect.poll(() => heldRequests).toBe(1)
  await plan.open()
  await application.query('subscribe').click()
  await run.open()
  await expect.poll(() => heldRequests).toBe(2)
  releaseSamples()
  await expect(run.parameter('owner')).not.toHaveValue('')
  await application.query('findUser').click()
  await expect(run.parameter('username')).not.toHaveValue('')
  expect(executions.queries).toEqual([])
})

test('the caret moves the mark in the sidebar, and the mark moves the caret', async ({ workbench, api, page }) => {
  const { application, editor } = workbench
  await api.create(TWO, TWO_QUERIES)
  await workbench.open(`/?file=${TWO}&query=nameOf`)
  await expect(application.currentQuery).toHaveText(/^nameOf/)
  expect(await editor.caretLine(TWO)).toContain('nameOf')
  await editor.goBehind(TWO, 'townOf AS')
  await expect(application.currentQuery).toHaveText(/^townOf/)
  await application.query('nameOf').click()
  await expect.poll(() => editor.caretLine(TWO)).toContain('nameOf')

  // The current query stays when the caret leaves it and when a schema is opened. In another file with queries it
  // changes.
  await editor.goBehind(TWO, '-- Two')
  await expect(application.currentQuery).toHaveText(/^nameOf/)
  await workbench.openFile('schema.piql')
  await expect(application.currentQuery).toHaveText(/^nameOf/)
  await workbench.openFile(FIND_USER)
  await expect(application.currentQuery).toHaveText(/^findUser/)

  // It follows the caret through a rename, an undo and a deletion.
  await application.query('townOf').click()
  await editor.typeOver(TWO, 'townOf', 'cityOf')
  await expect(application.currentQuery).toHaveText(/^cityOf/)
  await expect(page).toHaveURL(/query=cityOf/)
  for (let undos = 0; undos < 6; undos += 1) await editor.undo()
  await editor.expectText(TWO, 'townOf')
  await expect(application.currentQuery).toHaveText(/^townOf/)
  await editor.deleteLine(TWO, 'townOf')
  await expect(application.currentQuery).toHaveText(/^nameOf/)
})

test('with the caret in no query, the key shows what it would run', async ({ workbench, page }) => {
  const { application, editor, run } = workbench
  const executions = executionsOn(page)
  await workbench.open('/applications/scadr/development?file=schema.piql&query=findUser')
  await editor.goBehind('schema.piql', 'CREATE TABLE')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(run.parameter('username')).toBeFocused()
  await expect(run.form('findUser').getByRole('status')).toContainText('The caret is in no query')
  expect(executions.queries).toEqual([])
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(run.rows).toHaveCount(1)
  await expect(application.currentQuery).toHaveText(/^findUser/)
  expect(executions.queries).toEqual(['findUser'])
})

test('with the caret in a second query of one name, every place says so, and no key runs the first one', {
  tag: '@long',
}, async ({ workbench, api, page }) => {
  const { application, bounds, editor, heatmap, plan, run } = workbench
  await api.create(TWO, TWO_QUERIES.replace('townOf', 'findUser'))
  const executions = executionsOn(page)
  await workbench.open(`/applications/scadr/development?file=${TWO}&query=nameOf`)
  await editor.goBehind(TWO, 'SELECT hometown')
  await expect(application.currentQuery).toHaveCount(1)
  await expect(application.currentQuery).toHaveText(/^findUser.*line 2: its name is taken/s)
  await expect(page).not.toHaveURL(/query=/)
  await expect(editor.explain).toHaveCount(0)
  await page.keyboard.press('ControlOrMeta+Enter')
  for (const panel of [run, plan, heatmap, bounds]) {
    await panel.open()
    await expect(panel.content).toContainText('Another query is called findUser')
    await expect(panel.content).toContainText(`The caret is in the findUser of ${TWO}, line 2. It has no plan`)
  }
  await editor.area.focus()
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(run.content).toContainText('Another query is called findUser')
  expect(executions.queries).toEqual([])

  // The first one is one click away, and the second one is itself again once it has a name of its own.
  await run.content.getByRole('button', { name: 'Show the first one' }).click()
  await expect(editor.region.getByRole('heading')).toHaveText('queries / findUser.piql')
  await expect(run.form('findUser')).toBeVisible()
  await workbench.openFile(TWO)
  await editor.typeOver(TWO, 'findUser', 'townOf')
  await expect(application.currentQuery).toHaveText(/^townOf/)
  await expect(editor.explain).toHaveText('Explain townOf')
})
