// What goes wrong, each with what the user reads and can do: mistakes in a text, refused executions, unknown addresses,
// and a back end or a store that does not answer. Texts that somebody else changed: `5-changed-elsewhere.spec.ts`.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from '../fixtures.ts'

declare global {
  interface Window {
    /** While it is set, every save fails; see `refuseSaving`. */
    isSavingRefused?: boolean
  }
}

const FIND_USER = 'queries/findUser.piql'

test.describe('in the text', () => {
  test('a syntax error is marked where it is, and the other queries keep their plans', async ({ workbench }) => {
    const { editor, problems, plan, application, deploy } = workbench
    await workbench.open(`/?file=${FIND_USER}&query=findUser`)
    await editor.typeOver(FIND_USER, 'FROM', 'FORM')
    await expect(problems.items).toHaveCount(1)
    await expect(problems.items).toContainText('syntax-error')
    await expect(problems.items).toContainText(`${FIND_USER}:4`)
    await expect(editor.squiggles.first()).toBeVisible()
    await application.query('thoughtstream').click()
    await expect(application.query('thoughtstream')).toContainText('≤ 101 ops')
    await expect(plan.node('SortedIndexJoin')).toBeVisible()
    await deploy.open()
    await expect(deploy.alert).toContainText('Deploying is refused: 1 error.')
  })

  test('an unknown table is named with the one that was meant', async ({ workbench, page }) => {
    const { editor, problems } = workbench
    await workbench.open(`/?file=${FIND_USER}&query=findUser`)
    await editor.typeOver(FIND_USER, 'FROM users', 'FROM userz')
    await page.keyboard.press('Escape')
    await expect(problems.items).toHaveCount(1)
    await expect(problems.items).toContainText('userz')
    await expect(problems.items).toContainText('users')
    await expect(editor.squiggles.first()).toBeVisible()
    await editor.typeOver(FIND_USER, 'FROM userz', 'FROM users')
    await expect(problems.none).toBeVisible()
  })

  test('a problem leads to its place', async ({ workbench }) => {
    const { editor, problems } = workbench
    await workbench.open('/applications/scadr/development?file=schema.piql&query=thoughtstream')
    await editor.deleteLine('schema.piql', 'CARDINALITY LIMIT')
    await problems.about('queries/usersFollowedBy.piql:5').getByRole('button').first().click()
    await expect(editor.region.getByRole('heading')).toHaveText('queries / usersFollowedBy.piql')
    await expect(workbench.status).toContainText('Ln 5')
  })
})

test.describe('in an execution', () => {
  test('a value of the wrong type is refused with what is expected', async ({ workbench }) => {
    const { run } = workbench
    await workbench.open('/applications/scadr/development?query=thoughtstream&panel=run')
    await run.execute('thoughtstream', { me: 'ada_birch', count: 'many' })
    await expect(run.parameter('count')).toHaveAccessibleDescription(/^is 'many': expected an INT from 0 to/)
    await expect(run.parameter('count')).toBeFocused()
  })

  test('a value that is missing is asked for', async ({ workbench }) => {
    const { run } = workbench
    await workbench.open('/applications/scadr/development?query=thoughtstream&panel=run')
    await run.execute('thoughtstream', { me: 'ada_birch', count: '' })
    await expect(run.parameter('count')).toHaveAccessibleDescription(/^is missing/)
    await run.fill({ count: '3' })
    await run.submit('thoughtstream')
    await expect(run.rows).toHaveCount(3)
    await expect(run.parameter('count')).not.toHaveAccessibleDescription(/missing/)
  })

  test('a cursor that was tampered with reads nothing', async ({ workbench, page }) => {
    const { run } = workbench
    await workbench.open('/applications/scadr/development?query=myThoughts&panel=run')
    await run.execute('myThoughts', { me: 'ada_birch' })
    await expect(run.rows).toHaveCount(10)
    await page.route('**/executions', (route) => {
      const body = route.request().postDataJSON() as { cursor: string | null }
      return route.continue({ postData: JSON.stringify({ ...body, cursor: body.cursor && tampered(body.cursor) }) })
    })
    await run.nextPage()
    await expect(run.alert).toContainText('the cursor is damaged')
    await expect(run.alert).toContainText('Start again from the first page.')
    await expect(run.rows).toHaveCount(0)
    await run.submit('myThoughts')
    await expect(run.rows).toHaveCount(10)
  })
})

test.describe('in an address', () => {
  test('a deployment that was never made is said to be unknown', async ({ page }) => {
    await page.goto('/applications/scadr/development/dashboard?deployment=nothing')
    await expect(page.getByText('There is no deployment nothing')).toBeVisible()
    await page.getByRole('button', { name: 'Show the live one' }).click()
    await expect(page.getByRole('list', { name: 'Queries by latency' })).toBeVisible()
  })

  test('an application that does not exist is said to be unknown', async ({ page }) => {
    await page.goto('/applications/nowhere')
    await expect(page.getByText('There is no application nowhere.')).toBeVisible()
  })

  test('a query that is unknown leaves the workbench usable', async ({ workbench }) => {
    await workbench.open('/applications/scadr/development?query=nothing&panel=plan')
    await expect(workbench.plan.node('SortedIndexJoin')).toBeVisible()
  })
})

test.describe('with the back end', () => {
  test('a restart is announced, what is typed meanwhile is kept, and all goes on', async ({
    workbench,
    server,
    api,
  }) => {
    const { editor, application, deploy } = workbench
    await workbench.open('/applications/scadr/development?file=schema.piql&query=thoughtstream')
    await server.halt()
    await expect(workbench.banner).toContainText('server is not answering; your text is safe here')
    await editor.typeOver('schema.piql', 'LIMIT 100', 'LIMIT 70')
    await expect(workbench.saveState).toHaveText('Kept in this browser')
    await expect(workbench.status).toContainText('Server not answering')
    await deploy.open() // a part that the page had not needed before
    await expect(deploy.alert).toContainText('This part waits for the server')

    await server.resume()
    await expect(workbench.banner).toHaveCount(0)
    await expect(workbench.status).toContainText('Embedded store')
    await workbench.expectNotice('The server was restarted; everything is up to date again.')
    expect(await workbench.status.innerText()).not.toContain('Not compiled') // at that moment, and not some time later
    await editor.expectText('schema.piql', 'CARDINALITY LIMIT 70 (owner)')
    await expect(application.query('thoughtstream')).toContainText('≤ 71 ops')
    await expect(workbench.saveState).toHaveText('Saved')
    const saved = (await api.files()).find((file) => file.path === 'schema.piql')
    expect(saved?.text).toContain('CARDINALITY LIMIT 70 (owner)')
    await deploy.content.getByRole('button', { name: 'Reload the page' }).click()
    await editor.expectText('schema.piql', 'CARDINALITY LIMIT 70 (owner)')
    await expect(deploy.alert).toHaveCount(0)
  })

  test('a store that is away is announced, and everything is asked anew when it answers', async ({
    workbench,
    page,
  }) => {
    await workbench.open('/applications/scadr/development?file=schema.piql&query=thoughtstream')
    await page.route('**/development/pulse', async (route) => {
      const answer = await route.fetch()
      const { health, versions } = await answer.json()
      const store = { ...health.store, healthy: false, message: 'the cluster did not answer within 5 s' }
      await route.fulfill({ response: answer, json: { health: { ...health, status: 'degraded', store }, versions } })
    })
    await expect(workbench.banner).toContainText('The store is not answering: the cluster did not answer within 5 s')
    await page.unroute('**/development/pulse')
    const asked = page.waitForRequest('**/development/deployments')
    await workbench.expectNotice('The store is answering again; everything is up to date again.')
    await asked
    await expect(workbench.banner).toHaveCount(0)
  })

  test('a profile run that the back end’s end cut off is shown as failed', async ({ workbench, server }) => {
    const { profile } = workbench
    await workbench.open('/applications/scadr/development?query=thoughtstream&panel=profile')
    const run = await profile.start({ label: 'cut off', intervalSeconds: 2, intervals: 30 })
    await expect(run.progress).toBeVisible()
    await server.halt()
    await expect(workbench.banner).toBeVisible()
    await server.resume()
    await expect(run.state('failed')).toBeVisible()
    await expect(run.card).toContainText('The backend was stopped while this run was under way.')
    await expect(run.progress).toHaveCount(0)
  })

  test('what is typed is there after a reload', { tag: '@long' }, async ({ workbench }) => {
    const { editor } = workbench
    await workbench.open(`/?file=${FIND_USER}&query=findUser`)
    await editor.typeOver(FIND_USER, 'One user by name.', 'One user, by the name.')
    await workbench.reload()
    await editor.expectText(FIND_USER, 'One user, by the name.')
  })

  test('what could not be saved is there after a reload, too, and is saved once that is possible', async ({
    workbench,
    page,
  }) => {
    const { editor } = workbench
    await page.addInitScript(refuseSaving)
    await workbench.open(`/?file=${FIND_USER}&query=findUser`)
    await editor.typeOver(FIND_USER, 'One user by name.', 'One user, by the name.')
    await workbench.reload()
    await editor.expectText(FIND_USER, 'One user, by the name.')
    await workbench.expectNotice(`Your unsaved changes in ${FIND_USER} are restored.`)
    await expect(workbench.saveState).toHaveText('Kept in this browser')
    await page.evaluate(() => (window.isSavingRefused = false))
    await expect(workbench.saveState).toHaveText('Saved')
  })

  test('without a network each part says that the server does not answer, and all goes on when it is back', async ({
    workbench,
    context,
  }) => {
    const { editor, run, application } = workbench
    await workbench.open(`/?file=${FIND_USER}&query=findUser`)
    await workbench.openPanel('Run')
    await run.choose('findUser')
    await context.setOffline(true)
    await run.execute('findUser', { username: 'ada_birch' })
    await expect(run.alert).toContainText('The workbench’s server is not answering.')
    await expect(workbench.banner).toContainText('The workbench’s server is not answering; your text is safe here.')
    await editor.typeOver(FIND_USER, 'One user', 'Exactly one user')
    await expect(workbench.saveState).toHaveText('Kept in this browser')
    await context.setOffline(false)
    await expect(workbench.saveState).toHaveText('Saved')
    await expect(workbench.banner).toBeHidden()
    await expect(application.query('findUser')).toContainText('≤ 1 op')
    await expect(run.rows).toHaveCount(0) // what was refused is not run later by itself
  })

  test('what was saved is still there after a look at the dashboard’s page, and is written on', async ({
    workbench,
    page,
  }) => {
    const { editor } = workbench
    await workbench.open(`/?file=${FIND_USER}&query=findUser`)
    await editor.typeOver(FIND_USER, 'One user by name.', 'One user, by the name.')
    await expect(workbench.saveState).toHaveText('Saved')
    await workbench.openDashboardPage()
    await expect(page.getByRole('list', { name: 'Queries by latency' })).toBeVisible()
    await workbench.openWorkbenchPage()
    await editor.expectText(FIND_USER, 'One user, by the name.')
    await editor.typeOver(FIND_USER, 'by the name.', 'by their name.')
    await expect(workbench.saveState).toHaveText('Saved')
    await editor.expectText(FIND_USER, 'One user, by their name.')
  })

  test('a compiler that fails is not taken for a text without problems', async ({ workbench, page }) => {
    const { editor, problems } = workbench
    await workbench.open('/applications/scadr/development?file=schema.piql&query=thoughtstream')
    const failure = { code: 'internal', message: 'The backend failed; its log says where.', help: null }
    await page.route('**/api/compilations/parts', (route) => route.fulfill({ status: 500, json: failure }))
    await editor.deleteLine('schema.piql', 'CARDINALITY LIMIT')
    await expect(problems.alert).toContainText('The text as it is now could not be compiled')
    await expect(workbench.status).toContainText('Not compiled')
    await page.unroute('**/api/compilations/parts')
    await expect(problems.items).toHaveCount(2)
    await expect(problems.alert).toHaveCount(0)
  })

  test('a part that cannot be fetched says so, and the rest goes on', async ({ workbench, page }) => {
    const { deploy, editor, problems } = workbench
    await page.route('**/assets/DeployPanel-*', (route) => route.abort())
    await workbench.open('/applications/scadr/development?file=schema.piql&query=thoughtstream')
    await deploy.open()
    await expect(deploy.alert).toContainText('This part could not be loaded')
    await editor.deleteLine('schema.piql', 'CARDINALITY LIMIT')
    await expect(problems.items).toHaveCount(2)
    await page.unroute('**/assets/DeployPanel-*')
    await deploy.content.getByRole('button', { name: 'Reload the page' }).click()
    await expect(deploy.alert).toContainText('Deploying is refused: 2 errors.')
  })

  test('a port that is taken is said in one line', async ({ server }) => {
    const { status, output } = await serveOn(server.port)
    expect(output).toBe(`piql serve: 127.0.0.1:${server.port} cannot be used: Address already in use.\n`)
    expect(status).toBe(1)
  })
})

/** Runs in the page and lets every PUT fail, also the one that is sent when the page is closed. */
function refuseSaving(): void {
  const send = window.fetch
  window.isSavingRefused = true
  window.fetch = (input, options) =>
    window.isSavingRefused && input instanceof Request && input.method === 'PUT'
      ? Promise.reject(new TypeError('refused'))
      : send(input, options)
}

/** The cursor with one character in its middle replaced, so that its signature no longer fits. */
function tampered(cursor: string): string {
  const middle = Math.floor(cursor.length / 2)
  return cursor.slice(0, middle) + (cursor[middle] === 'A' ? 'B' : 'A') + cursor.slice(middle + 1)
}

/** Starts a second back end on a port and waits until it ends: its exit status and all that it printed. */
async function serveOn(port: number): Promise<{ status: number | null; output: string }> {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const second = spawn(`${root}.venv/bin/piql`, [
    'serve',
    '--port',
    String(port),
    '--data',
    `${root}e2e/test-results/never-made`,
  ])
  let output = ''
  second.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  second.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const status = await new Promise<number | null>((resolve) => second.once('close', resolve))
  return { status, output }
}
