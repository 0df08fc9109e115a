// Two applications beside each other: what is deployed and written in one touches nothing of the other. On the embedded
// store each has a file of its own; on a cluster (PIQL_E2E_STORE) they share a keyspace.
import type { Page } from '@playwright/test'
import { expect, test } from '../fixtures.ts'

const APPLICATIONS = {
  scadr: { query: 'findUser', parameters: { username: 'ada_birch' }, tables: ['users', 'subscriptions', 'thoughts'] },
  tpcw: { query: 'home', parameters: { uname: 'customer000001' }, tables: ['customer', 'item', 'orders'] },
} as const
/** A connection that rested may be closed by the server as it is used again: browsers then ask once more, too. */
const AGAIN = { maxRetries: 2 }
type Id = keyof typeof APPLICATIONS

test('SCADr and TPC-W stand side by side, each untouched by what is deployed and written in the other', {
  tag: '@long',
}, async ({ workbench, page }) => {
  test.slow()
  const { application, deploy, editor, run } = workbench
  const [scadr, tpcw] = [await stateOf(page, 'scadr'), await stateOf(page, 'tpcw')]
  expect([scadr.rows, tpcw.rows].flat().every((rows) => rows.length > 0)).toBe(true)

  await workbench.open('/applications/scadr/development?panel=deploy&file=queries/thoughtstream.piql')
  await editor.typeOver('queries/thoughtstream.piql', 'MAX 50', 'MAX 48')
  await deploy.button.click()
  await expect(deploy.versions.first()).toContainText(`${scadr.live.version + 1} live`)
  await workbench.openPanel('Run')
  await run.execute('addUser', { username: 'side_by_side', hometown: 'Here' })
  await expect(run.cost).toContainText('1 row')
  expect(await stateOf(page, 'tpcw')).toEqual(tpcw)

  await workbench.finishSaving()
  const scadrAfter = await stateOf(page, 'scadr')
  await page.getByRole('combobox', { name: 'Application', exact: true }).selectOption({ label: 'TPC-W' })
  await expect(page).toHaveURL(/\/applications\/tpcw\/development/)
  await expect(application.queries).toHaveCount(21)
  await deploy.open()
  await expect(deploy.state).toContainText('This text is already live.')
  await workbench.openFile('queries/home.piql')
  await editor.typeOver('queries/home.piql', 'c_fname, c_lname', 'c_lname, c_fname')
  await deploy.button.click()
  await expect(deploy.versions.first()).toContainText(`${tpcw.live.version + 1} live`)
  await workbench.openPanel('Run')
  await run.execute('home', APPLICATIONS.tpcw.parameters)
  await expect(run.rows).toHaveCount(1)
  expect(await stateOf(page, 'scadr')).toEqual(scadrAfter)
  await workbench.finishSaving()

  const foreign = await page.request.post(executions('tpcw', 'findUser'), {
    data: { parameters: APPLICATIONS.scadr.parameters },
  })
  expect(foreign.status(), 'a query of SCADr is none of TPC-W').toBe(404)
})

function environment(id: Id): string {
  return `/api/applications/${id}/environments/development`
}

function executions(id: Id, query: string): string {
  return `${environment(id)}/deployments/live/queries/${query}/executions`
}

/** What a user of an application meets: what is live, the first rows of its tables, and an answer. */
async function stateOf(page: Page, id: Id) {
  const { query, parameters, tables } = APPLICATIONS[id]
  const json = async (path: string) =>
    (await (await page.request.get(`${environment(id)}/${path}`, AGAIN)).json()) as unknown
  const live = (await json('deployments/live')) as { version: number; queries: unknown[] }
  const rows = await Promise.all(
    tables.map(async (table) => ((await json(`tables/${table}/rows`)) as { rows: unknown[] }).rows),
  )
  const ran = await page.request.post(executions(id, query), { data: { parameters }, ...AGAIN })
  expect(ran.status()).toBe(200)
  return { live, rows, answer: ((await ran.json()) as { rows: unknown[] }).rows }
}
