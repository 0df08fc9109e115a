// The journey of a change, by two people: Ben asks, a check fails as the p99 is predicted over its SLO, he gives another
// text, Ada approves, the text changes and her approval lapses, she approves again, tries it on half of the executions,
// sees both versions side by side, promotes it, and goes back to the version before.
import { spawn } from 'node:child_process'
import type { Page } from '@playwright/test'
import { expectNoObjections } from '../axe.ts'
import { expect, test } from '../fixtures.ts'
import { Workbench } from '../pages/Workbench.ts'
import { patience } from '../patience.ts'
import { look, looks, picture, scrollTo } from '../pictures.ts'
import { WorkbenchServer } from '../server.ts'

const PASSWORD = 'correct horse battery'
const FIRST_PORT = Number(process.env['PIQL_E2E_PORT'] ?? 8431) + 60
const DEVELOPMENT = '/api/applications/scadr/environments/development'
const REQUEST = '/applications/scadr/development/requests/1'

const CHEAP = `CREATE QUERY findUser AS
SELECT username, hometown, motto
FROM users
WHERE username = [1: username];
`
const DEAR = `CREATE QUERY findUser AS
SELECT u.username, u.hometown, u.motto
FROM subscriptions s JOIN users u ON u.username = s.target
WHERE s.owner = [1: username];
`
const PLAIN = 'SELECT username, hometown\nFROM users'

test('a change is asked for, mended, approved twice, tried, promoted and reverted', async ({ browser }, info) => {
  test.setTimeout(300_000)
  const server = await WorkbenchServer.start(FIRST_PORT + info.parallelIndex, 'local', addPeople)
  try {
    const [ben, ada] = await Promise.all(
      ['ben', 'ada'].map(async (name) => {
        const page = await (await browser.newContext({ baseURL: server.url })).newPage()
        await page.setViewportSize({ width: 1440, height: 900 })
        await page.goto('/')
        await page.getByLabel('Name').fill(name)
        await page.getByLabel('Password').fill(PASSWORD)
        await page.getByRole('button', { name: 'Sign in' }).click()
        await expect(page.getByRole('heading', { name: /^\d+ applications?$/ })).toBeVisible()
        return page
      }),
    )
    if (ben && ada) await story(ben, ada)
  } finally {
    await server.stop()
  }
})

/** Ada administers everything; Ben develops. */
async function addPeople(piql: string, data: string): Promise<void> {
  for (const role of [
    ['ada', '--role', 'administrator'],
    ['ben', '--role', 'developer'],
  ]) {
    const options = ['user', 'add', ...role, '--password-fd', '0', '--data', data]
    const adding = spawn(piql, options, { stdio: ['pipe', 'ignore', 'inherit'] })
    adding.stdin.end(`${PASSWORD}\n`)
    expect(await new Promise((resolve) => adding.once('exit', resolve))).toBe(0)
  }
}

async function story(ben: Page, ada: Page): Promise<void> {
  await measure(ada)
  await promiseBetween(ada)
  await send(ada, 'PUT', '/deploy-requests/rules', { needs_request: true, approvals: 1, checks: { slo: 'block' } })

  await send(ben, 'POST', '/deploy-requests', {
    title: 'Mottos of users',
    why: 'Profiles show a motto.',
    text: { files: await withText(ben, DEAR) },
  })
  await ben.goto(REQUEST)
  await expect(ben.getByText('This may not be deployed yet: 2 things are missing.')).toBeVisible()
  await expect(ben.getByRole('table', { name: 'Checks' })).toContainText('SLOs are predicted to be broken: findUser.')
  await picture(ben, 'request-over-slo')

  await give(ben, CHEAP)
  await expect(ben.getByRole('table', { name: 'Checks' })).toContainText('No saved SLO is predicted to be broken.')
  await ada.goto(REQUEST)
  await ada.getByLabel('Note').fill('Fine.')
  await ada.getByRole('button', { name: 'Approve' }).click()
  await expect(ada.getByText('This may be deployed: nothing is missing.')).toBeVisible()
  await give(ben, CHEAP.replace('motto\nFROM', 'motto\nFROM /* one row */'))
  await expect(ada.getByText('0 of 1 given for this text.')).toBeVisible()
  await expect(ada.getByRole('button', { name: 'Try it on a share' })).toBeDisabled()
  await ada.getByRole('button', { name: 'Approve' }).click()
  await expect(ada.getByText('This may be deployed: nothing is missing.')).toBeVisible()
  await expect(ben.getByRole('list', { name: 'Why not' })).toContainText('This needs the role deployer')

  await tryOut(ada)
  await expectNoObjections(ada, 'a request that is tried')
  await looks(ada, 'request-tried', 'Tried on 50 %')
  await ada.getByRole('textbox', { name: 'Why' }).fill('As fast as before.')
  await ada.getByRole('button', { name: /^Promote version / }).click()
  await expect(ben.getByText('Deployed as version 2 by ada.')).toBeVisible()
  const trials = ben.getByRole('list', { name: 'Trials' })
  await expect(trials).toContainText('Version 2: promoted by ada')
  await expect(trials).toContainText('As fast as before.')
  await scrollTo(trials)
  await look(ben, 'request-trials')

  const workbench = new Workbench(ada)
  await workbench.open('/applications/scadr/development?panel=deploy')
  await workbench.deploy.rollBackTo('1')
  await expect(workbench.deploy.versions).toHaveCount(3)
  const answer = (await send(ada, 'GET', '/deployments/live')) as { version: number; request: number | null }
  expect([answer.version, answer.request]).toEqual([3, null])
}

/** Ada tries the request on half of the executions, until the first test was made. */
async function tryOut(ada: Page): Promise<void> {
  await ada.getByRole('button', { name: 'Try it on a share' }).click()
  const dialog = ada.getByRole('dialog', { name: 'Try request 1 on a share' })
  await dialog.getByLabel('Share of the executions').fill('a half')
  await expect(dialog.getByText('Type a number from 0 to 100.')).toBeVisible()
  await dialog.getByLabel('Share of the executions').fill('50')
  await dialog.getByLabel('Withdraw by itself when more fail than').fill('5')
  await dialog.getByLabel('Why').fill('Half of them, on a quiet day.')
  await expectNoObjections(ada, 'a request to be tried', 'dialog')
  await picture(dialog, 'request-try')
  await dialog.getByRole('button', { name: 'Try it' }).click()
  await expect(ada.getByRole('heading', { name: 'Tried on 50 %' })).toBeVisible()
  await expect(ada.getByText('Nothing was executed since.')).toBeVisible()
  await send(ada, 'POST', '/bursts', { deployment_id: 'live', query: 'findUser', executions: 600, concurrency: 2 })
  const compared = ada.getByRole('table', { name: 'Version 1 and version 2' })
  await expect(compared).toContainText('findUser')
  await expect(compared).toContainText('no difference shown')
  await expect(ada.getByText(/One test was made|tests were made/)).toBeVisible()
  await picture(ada.getByRole('region', { name: 'Tried on 50 %' }), 'request-tried')
}

/** Measures the store, which the prediction of the check needs. */
async function measure(ada: Page): Promise<void> {
  const wish = { label: 'before the change', grid: 'small', interval_seconds: 2, intervals: 1, store_url: null }
  const { id } = (await send(ada, 'POST', '/profile-runs', wish)) as { id: string }
  await expect
    .poll(async () => ((await send(ada, 'GET', `/profile-runs/${id}`)) as { state: string }).state, {
      timeout: 240_000 * patience,
    })
    .toBe('done')
}

/** Promises a p99 of findUser that the cheap text is predicted to keep, and the dear one to break. */
async function promiseBetween(ada: Page): Promise<void> {
  const slo = (threshold_ms: number) => ({ quantile: 0.99, threshold_ms, interval_seconds: 600 })
  await send(ada, 'PUT', '/slos/findUser', slo(0.001))
  const [run] = ((await send(ada, 'GET', '/profile-runs')) as { items: { id: string }[] }).items
  const worst = async (text: string) => {
    const preview = await send(ada, 'POST', '/deployments/preview', {
      files: await withText(ada, text),
      run_id: run?.id,
    })
    return (preview as { slos_at_risk: { worst_ms: number }[] }).slos_at_risk[0]?.worst_ms ?? 0
  }
  const [cheap, dear] = [await worst(CHEAP), await worst(DEAR)]
  expect(dear).toBeGreaterThan(1.5 * cheap)
  await send(ada, 'PUT', '/slos/findUser', slo(Math.sqrt(cheap * dear)))
}

/** The saved files with a motto of each user, and another text of findUser. */
async function withText(page: Page, findUser: string): Promise<{ path: string; text: string }[]> {
  const { files } = (await call(page, 'GET', '/api/applications/scadr')) as { files: { path: string; text: string }[] }
  return files.map(({ path, text }) => {
    const isOfQuery = text.includes(PLAIN)
    return {
      path,
      text: isOfQuery ? findUser : text.replace('hometown VARCHAR(64)', 'hometown VARCHAR(64),\n  motto VARCHAR(80)'),
    }
  })
}

/** Ben gives the request another text, in the place of the present one. */
async function give(ben: Page, text: string): Promise<void> {
  const { revision } = (await send(ben, 'GET', '/deploy-requests/1')) as { revision: number }
  await send(ben, 'POST', '/deploy-requests/1/revisions', { revision, text: { files: await withText(ben, text) } })
}

function send(page: Page, method: string, path: string, body?: object): Promise<unknown> {
  return call(page, method, `${DEVELOPMENT}${path}`, body)
}

/** Asks the server as the page does: with its cookies, and from its origin. */
function call(page: Page, method: string, path: string, body?: object): Promise<unknown> {
  return page.evaluate(
    async ([how, where, what]) => {
      const answer = await fetch(where, {
        method: how,
        ...(what === null ? {} : { body: what, headers: { 'content-type': 'application/json' } }),
      })
      if (!answer.ok) throw new Error(`${how} ${where}: ${answer.status} ${await answer.text()}`)
      return answer.json() as Promise<unknown>
    },
    [method, path, body === undefined ? null : JSON.stringify(body)] as const,
  )
}
