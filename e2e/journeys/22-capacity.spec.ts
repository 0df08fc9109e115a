// "We are fine with a thousand users; what happens at a million?": from a measured store to what breaks first, and a
// link that shows somebody else the same.
import { expectNoObjections } from '../axe.ts'
import { expect, test } from '../fixtures.ts'
import { patience } from '../patience.ts'
import { looks, picture } from '../pictures.ts'

const CAPACITY = '/applications/scadr/development/capacity'

test.describe.configure({ timeout: 300_000 * patience })

test('without a profile run, the page leads to where one is made', async ({ workbench, page }) => {
  await page.goto(CAPACITY)
  await expect(page.getByText('No profile run has ended well')).toBeVisible()
  await expectNoObjections(page, 'capacity without a run')
  await page.getByRole('button', { name: 'Measure the store' }).click()
  await expect(workbench.profile.content).toBeVisible()
})

test('rates tell what breaks first and at how many users, and a link shows the same', async ({ api, page }) => {
  await api.measuredRun()
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto(`${CAPACITY}?load=of-1000`)
  await expect(page.getByText('Give at least one query a rate below')).toBeVisible()
  await expectNoObjections(page, 'capacity without rates')

  await page.getByLabel('Executions of thoughtstream a second').fill('0.5, 1, 2')
  await page.getByLabel('Executions of findUser a second').fill('5')
  const headline = page.getByRole('status', { name: 'What breaks first' })
  await expect(headline).toContainText(/(Breaks first|fills first)/)
  await expect(headline).toContainText(/at ≈ [\d.]+[kMG]? users \(9 of 10 from/)
  await expect(page).toHaveURL(/rate-0\.5-1-2-thoughtstream/)
  const rates = page.getByRole('table', { name: 'Rates of the queries' })
  await expect(rates.getByRole('row', { name: /thoughtstream/ })).toContainText(/≈/)

  await page.getByLabel('Executions of findUser a second').fill('3,2')
  await expect(page.getByText('A number above 0, or three that grow: 8, 10, 13')).toBeVisible()
  await expectNoObjections(page, 'capacity with a mistake')
  await page.getByLabel('Executions of findUser a second').fill('5')

  await page.getByLabel('Query', { exact: true }).selectOption('followersOf')
  await page.getByRole('button', { name: 'Show its plan without a bound' }).click()
  await page.getByLabel('Price of a node a month').fill('250')
  await page.getByLabel('thoughts', { exact: true }).fill('50, 200, 800')
  await expect(page.getByRole('img', { name: /followersOf without a bound breaks its SLO at ≈/ })).toBeVisible()

  const slider = page.getByRole('slider', { name: 'Users', exact: true })
  await slider.focus()
  await page.keyboard.press('Home')
  const facts = page.getByLabel('At 1k users')
  await expect(facts).toContainText(/Each busy to≈/)
  await expect(facts).toContainText('$250')
  await expectNoObjections(page, 'capacity')
  await looks(page, 'capacity', 'Rates')
  await picture(page, 'capacity')

  await page.getByText('In numbers').click()
  await expect(page.getByRole('table', { name: 'As users come' }).getByRole('row')).toHaveCount(8)
  await expectNoObjections(page, 'capacity in numbers')

  await expect(page).toHaveURL(/at-1000\b/)
  const said = await headline.textContent()
  const link = page.url()
  await page.goto('/')
  await page.goto(link)
  await expect(headline).toHaveText(said ?? '')
  await expect(page.getByRole('textbox', { name: 'Number of users' })).toHaveValue('1000')
})
