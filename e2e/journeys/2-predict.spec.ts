// Predicting: a profile run measures the store, the heatmap shows p99 over the limits of a query, and a limit that
// keeps the SLO is written into the text.
import type { Response } from '@playwright/test'
import { expect, test } from '../fixtures.ts'
import { patience } from '../patience.ts'
import { picture } from '../pictures.ts'

/** How long a profile run may take: twenty times what it takes on a quick machine. */
const MEASURING = 300_000 * patience

test.describe.configure({ timeout: 900_000 * patience })
test.use({ runner: 'ray' }) // as users have it

test('a profile run is watched, cancelled and deleted, and another measures to the end', async ({
  workbench,
  page,
}) => {
  const { profile, heatmap } = workbench
  await workbench.open('/applications/scadr/development?query=thoughtstream&panel=profile')
  const cancelled = await profile.start({ label: 'to be cancelled', intervalSeconds: 2, intervals: 30 })
  await expect(cancelled.progress).toHaveAttribute('aria-valuenow', /^[1-9]/, { timeout: MEASURING })
  await picture(page, 'profile')
  await cancelled.cancel()
  await expect(cancelled.state('cancelled')).toBeVisible({ timeout: MEASURING })
  await expect(cancelled.progress).toHaveCount(0)
  await cancelled.remove('Keep it')
  await expect(cancelled.card).toBeVisible()
  await cancelled.remove('Delete run')
  await expect(cancelled.card).toHaveCount(0)

  const measured = await profile.start({ label: 'small', intervalSeconds: 2, intervals: 1 })
  await expect(measured.progress).toBeVisible()
  await expect(measured.state('done')).toBeVisible({ timeout: MEASURING })
  await expect(measured.operators).toContainText(['IndexScan', 'IndexFKJoin', 'SortedIndexJoin'])
  await expect(measured.card).toContainText('used for predictions')
  await expect(workbench.editor.lenses).toContainText('p99 ≈')

  const log = await measured.downloadLog()
  const imported = await profile.importLog('from a log', log)
  await expect(imported.state('done')).toBeVisible({ timeout: MEASURING })
  await expect(imported.operators).toContainText(['IndexScan', 'IndexFKJoin', 'SortedIndexJoin'])
  await imported.remove('Delete run')
  const refused = await profile.importLog('no log', 'something else')
  await expect(refused.card).toContainText('has no line of a point')
  await refused.remove('Delete run')

  await measured.showHeatmap()
  await expect(heatmap.map).toBeVisible()
  await expect(page).toHaveURL(/panel=heatmap/)
})

test('a heatmap draws the promise as a contour, and a cell’s limits are written into the text', async ({
  workbench,
  api,
  page,
}) => {
  const { heatmap, editor, application, problems } = workbench
  await api.measuredRun()
  await workbench.open('/applications/scadr/development?query=thoughtstream&panel=heatmap')
  await heatmap.choose({ x: 'subscriptions per owner', y: 'LIMIT [count] MAX' })
  await expect(heatmap.map).toBeVisible()

  const predicted = await heatmap.predictedMilliseconds()
  const middle = predicted[Math.floor(predicted.length / 2)] ?? 0
  expect(middle).toBeGreaterThan(0)
  await heatmap.promise({ milliseconds: middle })
  await expect(heatmap.contour).toHaveAttribute('d', /^M/)
  await expect(heatmap.largestSafe.first()).toBeVisible()
  await expect(page).toHaveURL(new RegExp(`slo=99-${middle}-600`))

  await heatmap.chooseCell({ right: -1, up: -1 })
  await expect(heatmap.chosen).toContainText('the SLO')
  await picture(heatmap.content, 'heatmap')
  const limits = await heatmap.chosenLimits()
  await heatmap.writeIntoText()
  await editor.expectText('schema.piql', `CARDINALITY LIMIT ${limits.x} (owner)`)
  await editor.expectText('queries/thoughtstream.piql', `LIMIT [2: count] MAX ${limits.y};`)
  await expect(editor.lines.filter({ hasText: `CARDINALITY LIMIT ${limits.x} (owner)` })).toBeVisible()
  await expect(application.table('subscriptions')).toContainText(`≤ ${limits.x} per owner`)
  await expect(application.query('thoughtstream')).toContainText(`≤ ${1 + limits.x} ops`)
  await expect(problems.none).toBeVisible()
})

test('a query beyond what was measured has its bound and no p99, and what to profile for one is a click away', async ({
  workbench,
  api,
  page,
}) => {
  const { heatmap, profile, bounds } = workbench
  await api.measuredRun()
  await api.create(
    'queries/wide.piql',
    'CREATE QUERY wide AS SELECT text FROM thoughts WHERE owner = [1: me] LIMIT 9000;',
  )
  const errors: string[] = []
  page.on('console', (message) => (message.type() === 'error' ? errors.push(message.text()) : undefined))
  const answers: Response[] = []
  page.on('response', (answer) => (answer.url().includes('/development/prediction') ? answers.push(answer) : undefined))
  await workbench.open('/applications/scadr/development?query=wide&file=queries/wide.piql&panel=heatmap')
  await expect(workbench.application.query('findUser')).toContainText('p99 ≈')
  await expect(workbench.editor.lensOf('wide')).toHaveText(/^≤ 1 op · 1 trip · class I$/)
  expect(answers).toHaveLength(1)
  const { predictions } = await answers[0]?.json()
  expect(predictions.map((prediction: { query: string }) => prediction.query)).toEqual(
    expect.arrayContaining(['wide', 'findUser', 'thoughtstream']),
  )

  await expect(heatmap.content).toContainText('This run’s points are too small for wide')
  await expect(heatmap.content).toContainText('wide asks for IndexScan of 9,000 rows')
  await heatmap.predictPage('findUser, wide')
  await expect(heatmap.content.getByText('This run’s points are too small for wide')).toHaveCount(2)
  await bounds.open()
  await expect(bounds.content).toContainText('Predicted p99not measured')
  await bounds.content.getByRole('button', { name: 'Profile with the missing point' }).click()
  await expect(profile.levels('IndexScan', 'Rows')).toHaveValue('1, 10, 100, 9000')
  expect(errors).toEqual([])
})

test('a grid of one’s own names the levels of every dimension, and is measured as it was asked for', async ({
  workbench,
  page,
}) => {
  const { profile } = workbench
  await workbench.open('/applications/scadr/development?query=thoughtstream&panel=profile')
  await profile.chooseOwnGrid()
  await profile.levels('Rows', 'Columns beside the key').fill('1, many')
  await expect(profile.content.getByText('Whole numbers from 1 to 100,000, such as 1, 10, 100.')).toBeVisible()
  await expect(profile.startButton).toBeDisabled()
  await profile.levels('Rows', 'Columns beside the key').fill('1, 8')
  await expect(profile.content.getByText('28 points.')).toBeVisible()
  await profile.levels('Rows', 'Bytes of a row').fill('2')
  const begun = page.waitForRequest(
    (request) => request.method() === 'POST' && request.url().endsWith('/development/profile-runs'),
  )
  await profile.startButton.click()
  expect((await begun).postDataJSON().grid).toMatchObject({
    row_bytes: [2],
    columns: [1, 8],
    scan_rows: [1, 10, 100],
    forward_rows: [],
  })
  await expect(profile.alert).toContainText('a measured row has at least 32 bytes, not 2.')
})

test('a region is dragged over the map, its largest limits that keep the SLO are written, and it is looked at closer', async ({
  workbench,
  api,
  page,
}) => {
  const { heatmap, editor } = workbench
  await api.measuredRun()
  await workbench.open(
    '/applications/scadr/development?query=thoughtstream&panel=heatmap&x=subscriptions.owner&y=count&slo=99-3600000-600',
  )
  await expect(heatmap.contour).toBeAttached()
  await heatmap.drag([0.2, 0.75], [0.4, 0.55])
  await expect(heatmap.region).toContainText(/of \d+ cells keep the SLO/)
  const [x, y] = await heatmap.writeLargestOfRegion()
  await editor.expectText('schema.piql', `CARDINALITY LIMIT ${x} (owner)`)
  await editor.expectText('queries/thoughtstream.piql', `LIMIT [2: count] MAX ${y};`)
  await heatmap.region.getByRole('button', { name: 'Look closer' }).click()
  await expect(page).toHaveURL(/closer=/)
  await expect(heatmap.region).toHaveCount(0)
  await heatmap.map.focus()
  await page.keyboard.press('Home')
  await page.keyboard.press('Shift+ArrowRight')
  await page.keyboard.press('Shift+ArrowUp')
  await expect(heatmap.region).toContainText('4 cells')
  await heatmap.content.getByRole('button', { name: 'Show all of it' }).click()
  await expect(page).not.toHaveURL(/closer=|region=/)
})

test('a view of the heatmap is a URL', async ({ workbench, api }) => {
  const { heatmap } = workbench
  await api.measuredRun()
  await workbench.open(
    '/applications/scadr/development?query=thoughtstream&panel=heatmap&x=count&y=subscriptions.owner&slo=95-12-60&as=table',
  )
  await expect(heatmap.axis('X')).toHaveValue('count')
  await expect(heatmap.axis('Y')).toHaveValue('subscriptions.owner')
  await expect(heatmap.threshold).toHaveValue('12')
  await expect(heatmap.quantile).toHaveValue('95')
  await expect(heatmap.table).toBeVisible()
})

test('a query with one limit has a curve, and a point of it is written into the text', async ({
  workbench,
  api,
  page,
}) => {
  const { heatmap, editor } = workbench
  await api.measuredRun()
  await workbench.open('/applications/scadr/development?query=myThoughts&panel=heatmap&slo=99-3600000-600')
  await expect(heatmap.axis('Y')).toHaveValue('-')
  await expect(
    heatmap.content.getByRole('application', { name: 'Predicted latency of myThoughts over PAGINATE' }),
  ).toBeVisible()
  await heatmap.map.focus()
  await page.keyboard.press('Home')
  await expect(heatmap.cell).toHaveText(/^PAGINATE 1: .* keeps the SLO/)
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await heatmap.writeIntoText()
  await editor.expectText('queries/myThoughts.piql', 'PAGINATE 2')
})

test('a limit that is no axis is moved by a slider, kept in the URL, and written into the text with the other', async ({
  workbench,
  api,
  page,
}) => {
  const { heatmap, editor } = workbench
  await api.measuredRun()
  await workbench.open('/applications/scadr/development?query=thoughtstream&panel=heatmap')
  await heatmap.axis('Y').selectOption('none: a curve')
  await heatmap.content.getByRole('slider', { name: 'LIMIT [count] MAX' }).focus()
  await page.keyboard.press('Home')
  await expect(page).toHaveURL(/at=5-count/)
  await page.reload()
  await expect(heatmap.content.getByRole('status').filter({ hasText: 'in the text 50' })).toContainText('5')
  await heatmap.map.focus()
  await page.keyboard.press('Home')
  await page.keyboard.press('Enter')
  await heatmap.chosen.getByRole('button', { name: 'Write both limits into the text' }).click()
  await editor.expectText('schema.piql', 'CARDINALITY LIMIT 10 (owner)')
  await editor.expectText('queries/thoughtstream.piql', 'LIMIT [2: count] MAX 5;')
})

test('an SLO that is no number is said to be none, and changes nothing', async ({ workbench, api, page }) => {
  const { heatmap } = workbench
  await api.measuredRun()
  await workbench.open('/applications/scadr/development?query=thoughtstream&panel=heatmap&slo=99-40-600')
  await heatmap.threshold.fill('soon')
  await expect(heatmap.content.getByText('A number from 0.0001 to 3,600,000.')).toBeVisible()
  await expect(page).toHaveURL(/slo=99-40-600/)
  await heatmap.threshold.fill('30')
  await expect(page).toHaveURL(/slo=99-30-600/)
})

test('a query has one SLO: what is saved in the heatmap stands in the dashboard, and deploying warns by it', async ({
  workbench,
  api,
  page,
}) => {
  const { heatmap, dashboard } = workbench
  await api.measuredRun()
  await workbench.open('/applications/scadr/development?query=thoughtstream&panel=heatmap&slo=99-0.001-600')
  await expect(heatmap.ofTheQuery).toContainText('Tried here only')
  await heatmap.content.getByRole('button', { name: 'Save SLO' }).click()
  await expect(heatmap.ofTheQuery).toHaveText('The SLO of thoughtstream.')
  await expect(page).not.toHaveURL(/slo=/)
  await workbench.open('/applications/scadr/development?query=thoughtstream&panel=deploy')
  await expect(page.getByText('thoughtstream is predicted to break its SLO')).toBeVisible()
  await page.goto('/applications/scadr/development/dashboard?query=thoughtstream')
  await expect(dashboard.promised).toHaveText('Promised: 99 % under 0.0010 ms in each 10 min.')
  await dashboard.withdraw()
  await expect(dashboard.promised).toContainText('No SLO yet.')
})

test('the largest limits that keep the promise are found for the whole application, and one is written into the text', async ({
  workbench,
  api,
}) => {
  const { heatmap, editor } = workbench
  await api.measuredRun()
  await workbench.open('/applications/scadr/development?query=thoughtstream&panel=heatmap&slo=99-3600000-600')
  await expect(heatmap.anatomy).toContainText('p99')
  await expect(
    heatmap.anatomy.getByRole('img', { name: /^Parts of p99: IndexScan .*, SortedIndexJoin / }),
  ).toBeVisible()
  await heatmap.solveForAllLimits()
  const pages = heatmap.allLimits.getByRole('row', { name: /^PAGINATE myThoughts/ })
  await expect(pages).toContainText('not measured further')
  await pages.getByRole('button', { name: /^Write \d+ for PAGINATE into the text/ }).click()
  const largest = (await pages.getByRole('cell').nth(1).textContent()) ?? ''
  await editor.expectText('queries/myThoughts.piql', `PAGINATE ${largest}`)
})

test('of a write it is said whether it keeps the promise, by the run and the promise that are chosen', async ({
  workbench,
  api,
  page,
}) => {
  const { heatmap } = workbench
  const label = await api.measuredRun()
  await workbench.open('/applications/scadr/development?query=subscribe&panel=heatmap&slo=99-3600000-600')
  await expect(heatmap.run).toContainText(label)
  await expect(heatmap.anatomy).toContainText('Keeps the SLO')
  await heatmap.promise({ milliseconds: 0.001 })
  await expect(heatmap.anatomy).toContainText('Breaks the SLO')
  await heatmap.choose({ query: 'thoughtstream' })
  await expect(heatmap.map).toBeVisible()
  await expect(page).toHaveURL(/query=thoughtstream/)
})

test('a page of several queries has one bound and one latency, in a view that is a URL', async ({
  workbench,
  api,
  page,
}) => {
  const { heatmap } = workbench
  await api.measuredRun()
  await workbench.open('/applications/scadr/development?query=thoughtstream&panel=heatmap')
  await heatmap.predictPage('findUser, thoughtstream | myThoughts')
  await expect(page).toHaveURL(/together=findUser/)
  await expect(heatmap.content.getByText('At most 103 operations in 3 trips')).toBeVisible()
  await expect(heatmap.queriesOfPage.getByRole('row')).toContainText([
    'Query',
    /findUser≤ 1/,
    /thoughtstream≤ 101/,
    /myThoughts≤ 1/,
  ])
  await page.reload()
  await expect(heatmap.queriesOfPage.getByRole('row')).toHaveCount(4)
  await heatmap.predictPage('findUser, nobody')
  await expect(heatmap.alert).toContainText('There is no query nobody in these files.')
})
