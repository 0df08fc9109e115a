// The workbench without a pointer: themes, regions, palette, arrow keys, and one whole story by keys; and names of any
// length that must fit into their panels. What axe reports: `9-axe.spec.ts`.
import type { Locator, Page } from '@playwright/test'
import { expect, test } from '../fixtures.ts'
import { look, picture } from '../pictures.ts'
import { expectNoSidewaysScrolling } from '../sideways.ts'
import { weigh } from '../weight.ts'

test('a theme is the system’s until one is chosen, and the choice is kept', { tag: '@long' }, async ({
  workbench,
  page,
}) => {
  await workbench.open('/applications/scadr/development?query=thoughtstream&file=queries/thoughtstream.piql')
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light')
  await page.emulateMedia({ colorScheme: 'dark' })
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  await workbench.command('Theme: light')
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light')
  await workbench.reload()
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light')
  await workbench.command('Theme: dark')
  await picture(page, 'dark')
})

test('F6 walks along the regions of the window and back', async ({ workbench, page }) => {
  await workbench.open()
  const regions = ['Application', 'Editor', 'Panels', 'Status', 'Application']
  for (const name of regions) {
    await page.keyboard.press('F6')
    await expect(page.locator(':focus')).toHaveAttribute('aria-label', name)
  }
  await page.keyboard.press('Shift+F6')
  await expect(page.locator(':focus')).toHaveAttribute('aria-label', 'Status')
})

test('problems are a drawer that closes at none, and stays closed when it was closed by hand', async ({
  workbench,
  page,
}) => {
  const { editor, flow, problems } = workbench
  await workbench.open('/applications/scadr/development?file=schema.piql')
  const height = async () => (await editor.region.boundingBox())?.height ?? 0
  const whole = await height()
  await expect(problems.content).toHaveCount(0)
  await editor.deleteLine('schema.piql', 'CARDINALITY LIMIT')
  await expect(problems.items).toHaveCount(2)
  expect(await height()).toBeLessThan(whole)
  await editor.undo()
  await expect(problems.none).toBeVisible()
  await expect(problems.content).toHaveCount(0)
  expect(await height()).toBe(whole)

  await page.keyboard.press('ControlOrMeta+Shift+M')
  await expect(problems.content).toBeFocused()
  await expect(problems.content).toContainText('No problems')
  await page.keyboard.press('ControlOrMeta+Shift+M')
  await expect(editor.area).toBeFocused()
  await editor.deleteLine('schema.piql', 'CARDINALITY LIMIT')
  await problems.close()
  await workbench.finishSaving()
  await workbench.reload()
  await expect(problems.count).toHaveText('2 errors')
  await expect(problems.content).toHaveCount(0)
  await flow.step('Write').click()
  await expect(problems.items).toHaveCount(2)
})

test('the sidebar is filtered and walked along by keys, and its queries are grouped', async ({ workbench, page }) => {
  const { application, editor } = workbench
  await workbench.open('/applications/scadr/development?file=schema.piql')
  await editor.area.focus()
  await page.keyboard.press('F4')
  await page.keyboard.type('thought')
  await expect(application.queries).toHaveCount(4)
  await expect(application.file('schema.piql')).toHaveCount(0)
  await expect(application.table('thoughts')).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await expect(application.file('deleteThought.piql')).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: 'Rename queries/deleteThought.piql' })).toBeFocused()
  await application.query('myThoughts').focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(application.currentQuery).toContainText('thoughtstream')
  await page.keyboard.press('F4')
  await page.keyboard.press('Escape')
  await expect(application.queries).toHaveCount(12)

  await application.groupBy('by class')
  await expect(application.groups).toHaveText([/^Class II/, /^Class I/])
  await editor.typeOver('queries/thoughtstream.piql', 'MAX 50', 'MAX 49')
  await application.groupBy('by what is live')
  await expect(application.group('Changed since it was deployed').getByRole('button')).toHaveCount(1)
  await workbench.reload()
  await expect(application.group('Changed since it was deployed')).toContainText('thoughtstream')
})

test('Escape leaves the editor, and Tab goes on from there', async ({ workbench, page }) => {
  const { editor } = workbench
  await workbench.open('/applications/scadr/development?file=queries/findUser.piql&query=findUser')
  await editor.area.focus()
  await expect(editor.area).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(editor.region.getByText('Left the editor.')).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(editor.region.locator(':focus')).toHaveCount(0)
  await page.keyboard.press('Shift+Tab')
  await expect(editor.area).toBeFocused()
})

test('the first stop of the keyboard leads past the header and the lists', async ({ workbench, page }) => {
  await workbench.open('/applications/scadr/development?file=queries/findUser.piql&query=findUser')
  await page.keyboard.press('Tab')
  const skip = page.getByRole('link', { name: 'Skip to the editor' })
  await expect(skip).toBeFocused()
  await expect(skip).toBeInViewport()
  await page.keyboard.press('Enter')
  await expect(workbench.editor.area).toBeFocused()
  await page.goto('/applications/scadr/development/dashboard')
  await expect(workbench.dashboard.queries.first()).toBeVisible()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('main')).toBeFocused()
})

test('the palette goes to a query, and the keys go to its text', async ({ workbench, page }) => {
  const { editor, palette } = workbench
  await workbench.open()
  await page.keyboard.press('F1')
  await palette.getByRole('combobox').fill('followers')
  await expect(palette.getByRole('option')).toHaveCount(2)
  await page.keyboard.press('Enter')
  await expect(palette).toHaveCount(0)
  await expect(editor.area).toBeFocused()
  await expect(editor.region.getByRole('heading')).toHaveText('queries / followersOf.piql')
  await page.keyboard.press('Escape')
  await page.keyboard.press('ControlOrMeta+K')
  await expect(palette).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(palette).toHaveCount(0)
})

test('tabs, the plan and the heatmap are walked with arrows', async ({ workbench, api, page }) => {
  const { plan, bounds, heatmap, editor } = workbench
  await api.measuredRun()
  await workbench.open('/applications/scadr/development?query=thoughtstream&file=queries/thoughtstream.piql&panel=plan')
  await plan.nodes.first().focus()
  await page.keyboard.press('ArrowDown')
  await expect(plan.node('LocalStop')).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(editor.selectedSource).not.toHaveCount(0)
  await plan.tab.focus()
  await page.keyboard.press('ArrowRight')
  await expect(bounds.tab).toBeFocused()
  await expect(bounds.operations).toBeVisible()
  await page.keyboard.press('Home')
  await expect(plan.tab).toBeFocused()

  await heatmap.open()
  await heatmap.map.focus()
  await page.keyboard.press('Home')
  await expect(heatmap.cell).toContainText('subscriptions per owner 10')
  await page.keyboard.press('ArrowRight')
  await expect(heatmap.cell).toContainText('subscriptions per owner 15')
})

test('panels are spread over the window by a key, and stand side by side', async ({ workbench, page }) => {
  const { bounds, diagram, editor, plan } = workbench
  await workbench.open('/applications/scadr/development?query=thoughtstream&file=schema.piql&panel=plan')
  await editor.area.focus()
  await page.keyboard.press('F9')
  await expect(editor.region).toBeHidden()
  await expect(page.getByRole('region', { name: 'Panels', exact: true })).toBeFocused()
  await page.keyboard.press('ControlOrMeta+\\')
  await expect(bounds.operations).toBeVisible()
  await expect(plan.tree).toBeVisible()
  await diagram.tab.click({ modifiers: ['Shift'] })
  await expect(page.getByRole('tabpanel')).toHaveCount(3)
  await look(page, 'three-panels')
  await page.reload()
  await expect(page.getByRole('tabpanel')).toHaveCount(3)
  await page.getByRole('button', { name: 'Close Diagram' }).click()
  await page.keyboard.press('F9')
  await expect(editor.region).toBeVisible()
  await expect(page.getByRole('tabpanel')).toHaveCount(2)
  await page.getByLabel('Panel in the place of Bounds').selectOption({ label: 'Diagram' })
  await expect(diagram.table('thoughts')).toBeVisible()
  await page.getByRole('button', { name: 'Close Diagram' }).click()
  await expect(page.getByRole('tabpanel')).toHaveCount(1)
})

for (const size of [
  { width: 800, height: 900 },
  { width: 390, height: 844 },
]) {
  test(`at ${size.width} pixels nothing scrolls sideways, and everything can be reached`, async ({
    workbench,
    page,
  }) => {
    await page.setViewportSize(size)
    await page.goto('/')
    await expect(page.getByRole('table', { name: 'Applications' })).toBeVisible()
    await expectNoSidewaysScrolling(page, 'home')
    await workbench.open('/applications/scadr/development?query=thoughtstream&file=schema.piql')
    for (const title of [
      'Plan',
      'Bounds',
      'Diagram',
      'Profile',
      'Heatmap',
      'Deploy',
      'Run',
      'Data',
      'History',
    ] as const) {
      await workbench.openPanel(title)
      await expect(page.getByRole('tabpanel')).toBeVisible()
      await expectNoSidewaysScrolling(page, title)
    }
    if (size.width >= 700) {
      await page.setViewportSize({ width: 720, height: 450 }) // 1440 × 900 at 200 %
      await expectNoSidewaysScrolling(page, 'at 200 %')
    }
    await expectWhole(page.getByRole('combobox', { name: 'Application', exact: true }))
    await expectWhole(page.getByRole('combobox', { name: 'Environment', exact: true }))
    await page.getByRole('button', { name: 'Menu' }).click()
    await expect(page.getByRole('button', { name: /^Theme/ })).toBeInViewport({ ratio: 1 })
    await workbench.openDashboardPage() // the links of the pages are in the menu, too
    await expect(workbench.dashboard.queries.first()).toBeVisible()
    await expectNoSidewaysScrolling(page, 'dashboard')
    await look(page, `dashboard-${size.width}`)
    await page.getByRole('button', { name: /^Environments of/ }).click()
    await expect(page.getByRole('dialog')).toBeInViewport({ ratio: 1 })
    await expectNoSidewaysScrolling(page, 'environments')
  })
}

test('no page weighs more than it may', async ({ workbench, page }) => {
  const weight = await weigh(page)
  await page.goto('/')
  await expect(page.getByRole('table', { name: 'Applications' })).toBeVisible()
  await page.waitForLoadState('networkidle')
  expect(weight.bytes() / 1024, 'KiB of the home page').toBeLessThanOrEqual(220)
  await workbench.open('/applications/scadr/development?query=thoughtstream&file=queries/thoughtstream.piql')
  await expect(workbench.plan.nodes.first()).toBeVisible()
  await page.waitForLoadState('networkidle')
  // Beside what the home page has loaded, which the browser keeps.
  expect(weight.bytes() / 1024, 'KiB of home page and editor').toBeLessThanOrEqual(1126)
})

test('the whole story goes by keys alone: written, fixed, planned, predicted, deployed, run and compared', async ({
  workbench,
  api,
  page,
}) => {
  const { application, dashboard, deploy, editor, heatmap, plan, problems, run } = workbench
  await api.measuredRun()
  await page.goto('/')
  await tabTo(page, page.getByRole('link', { name: 'SCADr', exact: true }))
  await page.keyboard.press('Enter')
  await expect(application.queries).toHaveCount(12)
  await tabTo(page, page.getByRole('button', { name: 'New file' }))
  await page.keyboard.press('Enter')
  await page.keyboard.type('follows')
  await page.keyboard.press('Enter')
  await expect(editor.area).toBeFocused()
  await page.keyboard.insertText(
    'CREATE QUERY follows AS\nSELECT target\nFROM subscriptions\nWHERE approved = [1: yes];',
  )
  await expect(application.query('follows')).toContainText('unbounded')
  await page.keyboard.press('F8')
  await editor.applyFirstFixByKeyboard()
  await expect(application.query('follows')).not.toContainText('unbounded')
  await expect(problems.items.filter({ hasText: 'unbounded' })).toHaveCount(0)

  await page.keyboard.press('Escape')
  await tabTo(page, plan.tab)
  await tabTo(page, plan.nodes.first())
  await page.keyboard.press('Enter')
  await expect(editor.selectedSource).not.toHaveCount(0)
  await workbench.command('Heatmap')
  await expect(heatmap.content).toContainText('ms')
  await workbench.command('Deploy')
  await expect(deploy.button).toBeEnabled() // the preview must be there before the button takes a key
  await tabTo(page, deploy.button)
  await page.keyboard.press('Enter')
  await workbench.expectNotice(/ is live(: its indexes are complete| with 13 queries)\./)

  await workbench.command('thoughtstream')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(run.rows.first()).toBeVisible()
  await workbench.command('Open the dashboard page')
  await tabTo(page, dashboard.query('thoughtstream').getByRole('button'))
  await page.keyboard.press('Enter')
  await expect(dashboard.fact('thoughtstream', 'Executions')).toHaveText(/^[1-9]/) // earlier journeys may have run it
  await expect(dashboard.query('thoughtstream').getByRole('button')).toBeFocused()
})

/** Presses Tab until an element has the focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  for (let stops = 0; stops < 80; stops += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  await expect(target).toBeFocused()
}

test('names of any length leave nothing wider than its panel, and lie over nothing', async ({
  workbench,
  api,
  page,
}) => {
  const query = 'theNameOfAQueryThatSomebodyWroteWithoutThinkingOfTheWorkbenchItWouldHaveToFitIntoOneDay'
  const path = `queries/${query}AndItsFile.piql`
  await api.measuredRun()
  await api.create(
    path,
    `CREATE QUERY ${query} AS SELECT t.posted FROM subscriptions s JOIN thoughts t ON t.owner = s.target
     WHERE s.owner = [1: theUserWhoIsLoggedInAndWhoseSubscriptionsAreRead] ORDER BY t.posted LIMIT [2: howManyThoughtsAreShownOnThePageThatIsSeenNow] MAX 50;
     CREATE QUERY grows AS SELECT posted FROM thoughts WHERE owner = [1: me];`,
  )
  await workbench.open(`/?query=${query}&file=${path}`)
  const heading = await workbench.editor.region.getByRole('heading').boundingBox()
  const explain = await workbench.editor.region.getByRole('button', { name: /^Explain/ }).boundingBox()
  expect((heading?.x ?? 0) + (heading?.width ?? 0)).toBeLessThanOrEqual(explain?.x ?? 0)
  const drawer = workbench.problems.content
  await expect(workbench.problems.items).toHaveCount(1)
  expect(await drawer.evaluate((element) => element.scrollWidth - element.clientWidth)).toBeLessThanOrEqual(0)
  for (const title of ['Plan', 'Bounds', 'Heatmap', 'Deploy', 'Run'] as const) {
    await workbench.openPanel(title)
    const panel = page.getByRole('tabpanel', { name: new RegExp(`^${title}`) })
    await expect(
      panel
        .getByRole('status')
        .or(panel.getByRole('list'))
        .or(panel.getByRole('region'))
        .or(panel.getByRole('tree'))
        .first(),
    ).toBeVisible()
    const excess = () => panel.evaluate((element) => element.scrollWidth - element.clientWidth)
    await expect.poll(excess, { message: `what of ${title} is wider than its panel` }).toBeLessThanOrEqual(0)
    await look(page, `long-${title.toLowerCase()}`)
  }
})

/** Expects a select to be wide enough for what it shows. */
async function expectWhole(select: Locator): Promise<void> {
  const { width, needed } = await select.evaluate((element) => {
    const copy = element.cloneNode(true) as HTMLSelectElement
    copy.value = (element as HTMLSelectElement).value
    copy.style.cssText = 'position: absolute; max-width: none; width: max-content'
    for (const option of [...copy.options]) if (!option.selected) option.remove()
    element.parentElement?.append(copy)
    const sizes = { width: element.getBoundingClientRect().width, needed: copy.getBoundingClientRect().width }
    copy.remove()
    return sizes
  })
  expect(width).toBeGreaterThanOrEqual(needed - 1)
}
