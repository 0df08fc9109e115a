// Axe has no objection to any state of the workbench: each panel in two window sizes, panels while they are used,
// dialogs, refusals, and empty states. `axe.ts` says what is checked.
import type { Locator } from '@playwright/test'
import { expectNoObjections } from '../axe.ts'
import { expect, test } from '../fixtures.ts'
import type { PanelTitle, Workbench } from '../pages/Workbench.ts'
import { patience } from '../patience.ts'
import { look } from '../pictures.ts'
import { expectNoSidewaysScrolling } from '../sideways.ts'

const THOUGHTSTREAM = '/?query=thoughtstream&file=queries/thoughtstream.piql'
const FIND_USER = 'queries/findUser.piql'
/** The panel at the side; on a narrow window the only one. */
const PANEL = '[role=tabpanel]'
const DIALOG = 'dialog[open]'

/** Each panel, and an element that is there once it has all its data. */
const PANELS: readonly { title: PanelTitle; shown: (workbench: Workbench) => Locator }[] = [
  { title: 'Plan', shown: ({ plan }) => plan.node('IndexScan') },
  { title: 'Bounds', shown: ({ bounds }) => bounds.proofs },
  { title: 'Diagram', shown: ({ diagram }) => diagram.table('thoughts') },
  { title: 'Profile', shown: ({ profile }) => profile.content.getByRole('table').first() },
  { title: 'Heatmap', shown: ({ heatmap }) => heatmap.largestSafe.first() },
  { title: 'Deploy', shown: ({ deploy }) => deploy.versions.first() },
  { title: 'Dashboard', shown: ({ dashboard }) => dashboard.burst },
  { title: 'Run', shown: ({ run }) => run.rows.nth(9) },
  { title: 'Data', shown: ({ data }) => data.rows.nth(9) },
  { title: 'Comments', shown: ({ comments }) => comments.content.getByText('No open comments') },
]

// No test relies on another one. In parallel mode both workers share this file, the longest of all.
test.describe.configure({ mode: 'parallel', timeout: 300_000 * patience })

for (const size of [
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
]) {
  test.describe(`at ${size.width} × ${size.height}`, { tag: size.width === 1440 ? [] : '@long' }, () => {
    test.use({ viewport: size })

    test('no panel has anything that axe objects to, and none is wider than the window', async ({
      workbench,
      api,
      page,
    }) => {
      await api.measuredRun()
      await workbench.open(THOUGHTSTREAM)
      await expectNoObjections(page, 'the whole window', ':root', 'both')
      for (const { title, shown } of PANELS) {
        await workbench.openPanel(title)
        if (title === 'Run') await workbench.run.execute('thoughtstream', { me: 'ada_birch', count: '10' })
        await expect(shown(workbench)).toBeVisible()
        await look(page, `${size.width}-${title.toLowerCase()}`)
        await expectNoObjections(page, title, PANEL, 'both')
        await expectNoSidewaysScrolling(page)
      }
      await page.goto('/applications/scadr/development/dashboard')
      await expect(workbench.dashboard.queries.first()).toBeVisible()
      await expectNoObjections(page, 'the dashboard’s page')
      await expectNoSidewaysScrolling(page)
    })
  })
}

test('axe objects to nothing of what a panel shows when it is worked with', { tag: '@long' }, async ({
  workbench,
  api,
  page,
}) => {
  const { plan, profile, heatmap, run } = workbench
  await api.measuredRun()
  await workbench.open(`${THOUGHTSTREAM}&panel=plan`)
  await plan.stages.first().click()
  await expectNoObjections(page, 'an earlier stage of the plan', PANEL)
  await workbench.open(`${THOUGHTSTREAM}&panel=plan&as=table`)
  await expect(plan.content.getByRole('table')).toBeVisible()
  await expectNoObjections(page, 'the plan as a table', PANEL)

  await profile.open()
  await profile.chooseOwnGrid()
  await profile.levels('Rows', 'Columns beside the key').fill('1, many')
  await expectNoObjections(page, 'a grid of one’s own, with a mistake', PANEL)

  await workbench.open(`${THOUGHTSTREAM}&panel=heatmap&slo=99-3600000-600`)
  await expect(heatmap.map).toBeVisible()
  await heatmap.chooseCell({ right: -1, up: -1 })
  await expect(heatmap.chosen).toBeVisible()
  await heatmap.solveForAllLimits()
  await expect(heatmap.allLimits.getByRole('row').nth(1)).toBeVisible()
  await heatmap.predictPage('findUser, thoughtstream | myThoughts')
  await expect(heatmap.queriesOfPage.getByRole('row')).toHaveCount(4)
  await expectNoObjections(page, 'the heatmap with a cell, all limits and a page of queries', PANEL)
  await heatmap.content.getByRole('button', { name: 'Table', exact: true }).click()
  await expect(heatmap.table).toBeVisible()
  await heatmap.threshold.fill('soon')
  await expectNoObjections(page, 'the heatmap as a table, with an SLO that is no number', PANEL)
  await workbench.open('/applications/scadr/development?query=myThoughts&panel=heatmap')
  await expect(heatmap.map).toBeVisible()
  await heatmap.map.focus()
  await page.keyboard.press('Home')
  await expectNoObjections(page, 'a curve', PANEL)
  await heatmap.choose({ query: 'subscribe' })
  await expect(heatmap.anatomy).toBeVisible()
  await expectNoObjections(page, 'one number of a write', PANEL)

  await run.open()
  await run.execute('thoughtstream', { me: 'ada_birch', count: 'many' })
  await expect(run.parameter('count')).toHaveAccessibleDescription(/expected an INT/)
  await expectNoObjections(page, 'a refused run', PANEL)
  await run.execute('myThoughts', { me: 'ada_birch' })
  await run.nextPage()
  await expect(run.result).toContainText('Page 2')
  await expectNoObjections(page, 'the second page of rows', PANEL)
  await run.choose('postThought')
  await expectNoObjections(page, 'the form of a write', PANEL)
})

test('nor of what is unbounded, mistaken or asked about', { tag: '@long' }, async ({ workbench, page }) => {
  const { editor, problems, plan, bounds, heatmap, run, deploy, application } = workbench
  await workbench.open('/applications/scadr/development?query=thoughtstream&file=schema.piql')
  await editor.deleteLine('schema.piql', 'CARDINALITY LIMIT')
  await expect(application.query('thoughtstream')).toContainText('unbounded')
  await expect(problems.items).toHaveCount(2)
  await look(page, 'unbounded')
  await expectNoObjections(page, 'an unbounded query, and its fixes')
  await plan.open()
  await expect(plan.unboundedNodes.first()).toBeVisible()
  await expectNoObjections(page, 'its plan', PANEL)
  await bounds.open()
  await expectNoObjections(page, 'its bound', PANEL)
  await heatmap.open()
  await expectNoObjections(page, 'its heatmap', PANEL)
  await run.open()
  await expectNoObjections(page, 'its run', PANEL)
  await deploy.open()
  await expect(deploy.alert).toBeVisible()
  await expectNoObjections(page, 'a refused deployment', PANEL)
  await editor.area.focus()
  await page.keyboard.press('F8')
  await page.keyboard.press('ControlOrMeta+.')
  await expect(editor.fixes.first()).toBeVisible()
  await look(page, 'fix-offered')
  await expectNoObjections(page, 'fixes offered in the editor')
  await page.keyboard.press('Enter')
  await expect(problems.none).toBeVisible()

  await page.goto('/applications/scadr/development?file=schema.piql&code=unbounded-scan')
  await expect(workbench.code).toBeVisible()
  await expectNoObjections(page, 'the page of a code', DIALOG)
  await workbench.code.getByRole('link', { name: 'All codes' }).click()
  await expect(workbench.code.getByRole('table').first()).toBeVisible()
  await expectNoObjections(page, 'all codes', DIALOG)
  await page.keyboard.press('Escape')
  await page.keyboard.press('F1')
  await expect(workbench.palette).toBeVisible()
  await expectNoObjections(page, 'the palette', DIALOG)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Keyboard shortcuts' }).click()
  await expectNoObjections(page, 'the keys', DIALOG)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'New file' }).click()
  await page.getByRole('dialog').getByLabel('Path').fill('no such end')
  await page.keyboard.press('Enter')
  await expectNoObjections(page, 'a new file, with a mistake', DIALOG)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: `Delete ${FIND_USER}` }).click()
  await expectNoObjections(page, 'a file that may be deleted', DIALOG)
})

test('nor of what went wrong', { tag: '@long' }, async ({ workbench, api, page }) => {
  const { editor, problems, deploy } = workbench
  await page.goto('/applications/nowhere')
  await expect(page.getByText('There is no application nowhere.')).toBeVisible()
  await expectNoObjections(page, 'no such application')
  await page.goto('/applications/scadr/development/dashboard?deployment=nothing')
  await expect(page.getByText('There is no deployment nothing')).toBeVisible()
  await expectNoObjections(page, 'no such deployment')

  await workbench.open(`/?file=${FIND_USER}&query=findUser&panel=deploy`)
  await page.route('**/api/applications/scadr', (route) => route.abort())
  await api.write(FIND_USER, (text) => text.replace('One user by name.', 'Written elsewhere.'))
  await editor.typeOver(FIND_USER, 'One user by name.', 'Written here.')
  await expect(workbench.saveState).toHaveText('Conflict')
  await expect(deploy.alert).toContainText('is newer on the server than here')
  await look(page, 'stale-tab')
  await expectNoObjections(page, 'a stale tab')
  await editor.region.getByRole('button', { name: 'Compare' }).click()
  await expect(page.getByRole('dialog')).toContainText('Written elsewhere.')
  await expectNoObjections(page, 'both texts', DIALOG)
  await page.keyboard.press('Escape')
  await editor.region.getByRole('button', { name: 'Take theirs' }).click()
  await page.unroute('**/api/applications/scadr')

  const failure = { code: 'internal', message: 'The backend failed; its log says where.', help: null }
  await page.route('**/api/compilations/parts', (route) => route.fulfill({ status: 500, json: failure }))
  await page.route('**/development/pulse', async (route) => {
    const answer = await route.fetch()
    const { health, versions } = await answer.json()
    const store = { ...health.store, healthy: false, message: 'the cluster did not answer within 5 s' }
    await route.fulfill({ response: answer, json: { health: { ...health, status: 'degraded', store }, versions } })
  })
  await editor.typeOver(FIND_USER, 'FROM', 'FORM')
  await expect(problems.alert).toContainText('The text as it is now could not be compiled')
  await expect(workbench.banner).toContainText('The store is not answering')
  await look(page, 'store-away')
  await expectNoObjections(page, 'neither store nor compiler')
  await page.unrouteAll({ behavior: 'wait' }) // a request under way must not be answered twice
  await expect(problems.items).toHaveCount(1)
  await workbench.expectNotice('The store is answering again; everything is up to date again.')
  await expectNoObjections(page, 'a syntax error, and a notice')
})

test('nor of what is on its way, goes live and goes back', { tag: '@long' }, async ({ workbench, api, page }) => {
  const { deploy, editor, profile } = workbench
  await api.deploy()
  await api.buildSlowly('CREATE QUERY byText AS SELECT owner FROM thoughts WHERE text = [1: text] LIMIT 3;', 100)
  await workbench.open('/applications/scadr/development?file=schema.piql&panel=deploy')
  await expect(deploy.onItsWay.getByRole('progressbar')).toBeVisible()
  await expectNoObjections(page, 'a version on its way', PANEL)
  await deploy.steer('Pause')
  await expect(deploy.onItsWay.getByRole('status')).toContainText('It is paused.')
  await expectNoObjections(page, 'a version that waits', PANEL)
  await deploy.steer('Cancel')
  await expect(deploy.onItsWay).toBeHidden()

  await editor.typeOver('schema.piql', 'LIMIT 100', 'LIMIT 110')
  await expect(deploy.tables).toContainText('CARDINALITY LIMIT 100 (owner) → 110')
  await expect(deploy.state).toContainText('Every query is bounded')
  await look(page, 'deploy-changes')
  await expectNoObjections(page, 'what deploying changes', PANEL)
  await deploy.button.click()
  await workbench.expectNotice('is live with 12 queries.')
  await expectNoObjections(page, 'a version that went live')
  await page.getByRole('button', { name: 'Earlier notices' }).click()
  await expect(page.getByRole('dialog')).toContainText('is live with 12 queries.')
  await expectNoObjections(page, 'what was said before', DIALOG)
  await page.keyboard.press('Escape')
  await deploy.versions.getByRole('button', { name: /^Roll back to version/ }).click()
  await expect(page.getByRole('dialog').getByRole('list', { name: 'Tables that change' })).toBeVisible()
  await look(page, 'roll-back')
  await expectNoObjections(page, 'what rolling back changes', DIALOG)
  await page.keyboard.press('Escape')

  await profile.open()
  const run = await profile.start({ label: 'on its way', intervalSeconds: 2, intervals: 30 })
  await expect(run.progress).toBeVisible()
  await expectNoObjections(page, 'a profile run on its way', PANEL)
  await run.cancel()
  await expect(run.state('cancelled')).toBeVisible({ timeout: 120_000 * patience })
  await run.card.getByRole('button', { name: 'Delete on its way' }).click()
  await expectNoObjections(page, 'a profile run that may be deleted', DIALOG)
  await page.getByRole('dialog').getByRole('button', { name: 'Delete run' }).click()
  await expect(run.card).toHaveCount(0)
})

test('nor of latencies, observed or not, nor of a workbench that has nothing yet', { tag: '@long' }, async ({
  workbench,
  page,
}) => {
  const { dashboard, deploy, flow, profile, heatmap, run } = workbench
  await page.goto('/applications/scadr/development/dashboard?query=findUser')
  await dashboard.promise({ percent: 99, milliseconds: 2000, seconds: 600 })
  await workbench.expectNotice('The SLO of findUser is saved.')
  await dashboard.runBurst(50)
  await expect(dashboard.burstState).toContainText('done: 50 of 50', { timeout: 120_000 * patience })
  await expect(dashboard.fact('findUser', 'Observed p99')).toContainText('ms')
  await look(page, 'observed')
  await expectNoObjections(page, 'observed latencies')
  await dashboard.choose('unsubscribe')
  await expectNoObjections(page, 'a write that was not observed')
  await dashboard.showAsTable()
  await expectNoObjections(page, 'latencies as a table')
  await page
    .getByLabel('OpenSLO file')
    .setInputFiles({ name: 'slos.yaml', mimeType: 'application/yaml', buffer: Buffer.from('none: of it') })
  await expect(page.getByRole('alert')).toBeVisible()
  await expectNoObjections(page, 'SLOs that were refused')

  for (const list of [/\/development\/deployments(\?|$)/, /\/development\/profile-runs(\?|$)/])
    await page.route(list, (route) => route.fulfill({ json: { items: [], next: null } }))
  await page.route('**/api/applications/scadr', async (route) => {
    const answer = await route.fetch()
    const application = await answer.json()
    await route.fulfill({
      json: { ...application, files: application.files.filter(({ path }: { path: string }) => path === 'schema.piql') },
    })
  })
  await page.goto('/applications/scadr/development/dashboard')
  await expect(page.getByText('Nothing is deployed yet')).toBeVisible()
  await expectNoObjections(page, 'a dashboard of nothing')
  await page.goto('/applications/scadr/development?file=schema.piql&panel=deploy')
  await expect(deploy.state).toContainText('No query would be live: this removes 12 queries.')
  await expect(flow.step('Write')).toContainText('no query yet')
  await look(page, 'empty')
  await expectNoObjections(page, 'an application without a query')
  for (const panel of [workbench.plan, workbench.bounds, workbench.diagram, profile, heatmap, run]) {
    await panel.open()
    await expectNoObjections(page, `nothing in ${await panel.tab.innerText()}`, PANEL)
  }
  await page.unrouteAll({ behavior: 'wait' }) // a request under way must not outlive the page
})
