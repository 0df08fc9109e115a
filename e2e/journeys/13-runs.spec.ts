// Running a query again, with the values of an earlier run or with values that were saved under a name; and running a
// SELECT that is not deployed.
import { expectNoObjections } from '../axe.ts'
import { expect, test } from '../fixtures.ts'
import { look, scrollTo } from '../pictures.ts'

const READER = 'ada_birch'
const WRITER = 'alan_birch'
const PANEL = '[role=tabpanel]'
const SIZES = [
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
  { width: 800, height: 900 },
  { width: 390, height: 844 },
]

test('earlier runs are listed, run again, put back and cleared', async ({ workbench, page }) => {
  const { run } = workbench
  await workbench.open('/applications/scadr/development?query=findUser&panel=run')
  await run.execute('findUser', { username: READER })
  await expect(run.rows).toHaveCount(1)
  await run.execute('thoughtstream', { me: READER, count: '3' })
  await expect(run.rows).toHaveCount(3)
  await run.execute('subscribe', { owner: READER, target: 'nobody_at_all' })
  await expect(run.alert).toBeVisible()

  await run.togglePastRuns()
  await expect(run.pastRuns).toHaveCount(3)
  await expect(run.pastRuns.nth(0)).toContainText('subscribe')
  await expect(run.pastRuns.nth(0)).toContainText('failed')
  await expect(run.pastRuns.nth(1)).toContainText(/thoughtstream\s*3 rows · \d+ of ≤ 101 operations/)
  await expect(run.pastRuns.nth(1)).toContainText(`me = ${READER}, count = 3`)
  for (const size of SIZES) {
    await page.setViewportSize(size)
    await scrollTo(run.pastRuns.first())
    await look(page, `${size.width}-earlier-runs`)
    await expectNoObjections(page, `earlier runs at ${size.width}`, PANEL)
  }
  await page.setViewportSize({ width: 1440, height: 900 })

  // They are there when the page is opened again. A read runs again at once, and a write only from its form.
  await page.reload()
  await run.togglePastRuns()
  await run.content.getByRole('button', { name: 'Run again: thoughtstream' }).click()
  await expect(run.rows).toHaveCount(3)
  await expect(run.parameter('me')).toHaveValue(READER)
  await run.content.getByRole('button', { name: 'Run again: subscribe' }).click()
  await expect(run.form('subscribe').getByRole('status')).toContainText('subscribe writes: check the values')
  await expect(run.parameter('target')).toHaveValue('nobody_at_all')

  await run.choose('findUser')
  await run.fill({ username: WRITER })
  await run.content.getByRole('button', { name: 'Use these values: findUser' }).click()
  await expect(run.parameter('username')).toHaveValue(READER)
  await run.content.getByLabel('only findUser').check()
  await expect(run.pastRuns).toHaveCount(1)
  await run.content.getByRole('button', { name: 'Clear' }).click()
  await expect(run.pastRuns).toHaveCount(0)
  await page.reload()
  await run.togglePastRuns()
  await expect(run.content).toContainText('Nothing was run here yet.')
})

test('a link shows the form of a run as it was filled in, and no server is told the values', async ({
  workbench,
  page,
}) => {
  const { run } = workbench
  const asked: string[] = []
  page.on('request', (request) => asked.push(`${request.url()} ${request.headers()['referer'] ?? ''}`))
  await workbench.open('/applications/scadr/development?query=thoughtstream&panel=run')
  await run.fill({ me: READER, count: '3' })
  await expect(page).toHaveURL(new RegExp(`panel=run.*#value\\.me=${READER}&value\\.count=3$`))
  await page.reload()
  await expect(run.parameter('count')).toHaveValue('3')
  await run.submit('thoughtstream')
  await expect(run.rows).toHaveCount(3)

  await run.choose('findUser')
  await expect(page).not.toHaveURL(/#/)
  await run.fill({ username: WRITER })
  await expect(page).toHaveURL(new RegExp(`#value\\.username=${WRITER}$`))
  await page.goBack()
  await expect(run.parameter('me')).toHaveValue(READER)
  await run.content.getByRole('button', { name: 'Sample values' }).click()
  await expect(page).not.toHaveURL(/#/)
  expect(asked.filter((request) => request.includes('value.'))).toEqual([])

  // A link to a write fills its form in and runs nothing.
  await page.goto('/applications/scadr/development?query=subscribe&panel=run#value.owner=ada&value.target=nobody')
  await expect(run.parameter('target')).toHaveValue('nobody')
  await expect(run.content).toContainText('Ready to run')
})

test('values are saved under a name, chosen, changed and removed, also when the query has changed', async ({
  workbench,
  api,
  page,
}) => {
  const { run } = workbench
  await workbench.open('/applications/scadr/development?query=thoughtstream&panel=run')
  await run.choose('thoughtstream')
  await run.fill({ me: READER, count: '3' })
  await run.saveValuesAs('three of ada')
  await workbench.expectNotice('three of ada is saved for everybody')
  await run.fill({ me: WRITER, count: '7' })
  await run.saveValuesAs('seven of alan')
  await run.savedValues.selectOption('three of ada')
  await expect(run.parameter('me')).toHaveValue(READER)
  await expect(run.parameter('count')).toHaveValue('3')
  await run.submit('thoughtstream')
  await expect(run.rows).toHaveCount(3)

  await run.fill({ count: '4' })
  await run.content.getByRole('button', { name: 'Save changes' }).click()
  await workbench.expectNotice('three of ada is saved.')
  await page.reload()
  await run.savedValues.selectOption('seven of alan')
  await run.savedValues.selectOption('three of ada')
  await expect(run.parameter('count')).toHaveValue('4')

  // A parameter gets another name: the set says so, and keeps what it has.
  await api.write('queries/thoughtstream.piql', (text) => text.replaceAll(': me]', ': reader]'))
  await api.deploy()
  await page.reload()
  await run.savedValues.selectOption('three of ada')
  await expect(run.content).toContainText('thoughtstream has no parameter me; there is no value for reader.')
  await expect(run.parameter('count')).toHaveValue('4')
  for (const size of SIZES) {
    await page.setViewportSize(size)
    await scrollTo(run.savedValues)
    await look(page, `${size.width}-saved-values`)
    await expectNoObjections(page, `saved values at ${size.width}`, PANEL)
  }
  await page.setViewportSize({ width: 1440, height: 900 })
  await run.content.getByRole('button', { name: 'Remove', exact: true }).click()
  await run.content.getByRole('button', { name: 'Remove the values' }).click()
  await workbench.expectNotice('three of ada is removed.')
  await expect(run.savedValues.getByRole('option')).toHaveText(['saved values…', 'seven of alan'])
})

test('a SELECT runs over what is live, is refused where it has no bound, and becomes a query on request', async ({
  workbench,
  page,
}) => {
  const { application, data } = workbench
  await workbench.open('/applications/scadr/development?panel=data')
  await data.button('SELECT…').click()
  await data.select(`SELECT hometown FROM users WHERE username = '${READER}'`)
  await expect(data.selected.getByRole('status')).toContainText(/1 row\s*1 of ≤ 1 operation/)
  await data.select('SELECT hometown FROM users WHERE username = [1: name]')
  await expect(data.selectForm.getByRole('status')).toContainText('It has a bound of ≤ 1 operation.')
  await data.selectForm.getByLabel('name', { exact: true }).fill(WRITER)
  await data.selectForm.getByRole('button', { name: 'Run SELECT' }).click()
  await expect(data.selected.getByRole('status')).toContainText('1 row')

  for (const size of SIZES) {
    await page.setViewportSize(size)
    await data.select('SELECT username FROM users WHERE hometown = [1: town]')
    await expect(data.alert).toContainText('nothing limits how many there are')
    await expect(data.content).toContainText('Fix:')
    await expect(data.content).toContainText('Nothing was run and nothing was made.')
    await scrollTo(data.alert)
    await look(page, `${size.width}-select`)
    await expectNoObjections(page, `a refused SELECT at ${size.width}`, PANEL)
  }
  await page.setViewportSize({ width: 1440, height: 900 })
  await data.select(`DELETE FROM users WHERE username = '${READER}'`)
  await expect(data.alert).toContainText('only a SELECT is run here')

  await data.select(`SELECT hometown FROM users WHERE username = '${READER}'`)
  await expect(data.selected.getByRole('status')).toContainText('1 row')
  await data.selectForm.getByRole('button', { name: 'Save as query…' }).click()
  await data.selectForm.getByLabel('Name of the query').fill('townOfAda')
  await page.keyboard.press('Enter')
  await expect(application.file('townOfAda.piql')).toBeVisible()
  await expect(application.query('townOfAda')).toContainText('≤ 1 op')
})
