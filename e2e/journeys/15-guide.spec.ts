// The documentation in the workbench: from the home page, beside the work, by links from page to page.
import { expectNoObjections } from '../axe.ts'
import { expect, test } from '../fixtures.ts'
import { look, picture } from '../pictures.ts'
import { expectNoSidewaysScrolling } from '../sideways.ts'

test('a new user comes from the home page to the tutorial and from there to other pages', async ({ page }) => {
  await page.goto('/')
  await page.getByRole('link', { name: 'tutorial' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/^Tutorial/)
  await expect(page.getByRole('img', { name: 'The light bulb offers to add the cardinality limit' })).toBeAttached()
  await picture(page, 'guide')
  await page.getByRole('link', { name: 'keeps all rows' }).click()
  await expect(page).toHaveURL(/\/guide\/operations\?section=rolling-back$/)
  await expect(page.getByRole('heading', { name: 'Rolling back' })).toBeFocused()
  await expect(page.getByRole('heading', { name: 'Rolling back' })).toBeInViewport()
  await page.goBack()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/^Tutorial/)

  const contents = page.getByRole('navigation', { name: 'Pages of the guide' })
  await contents.getByRole('link', { name: 'The language' }).click()
  await contents.getByRole('link', { name: 'Writes' }).click()
  await expect(page.getByRole('heading', { name: 'Writes', exact: true })).toBeInViewport()
  await page.goto('/guide/nothing/here')
  await expect(page.getByText('The guide has no page nothing/here')).toBeVisible()
  await page.getByRole('main').getByRole('link', { name: 'All pages' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Guide')
})

test('from an application the guide opens beside the work', async ({ workbench, page }) => {
  await workbench.open()
  const opened = page.waitForEvent('popup')
  await page.getByRole('link', { name: 'Guide' }).click()
  const guide = await opened
  await expect(guide.getByRole('heading', { level: 1 })).toHaveText('Guide')
  await expect(page).toHaveURL(/\/applications\/scadr\/development/)
})

test('axe has no objection to the guide, which is never wider than the window', { tag: '@long' }, async ({ page }) => {
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 844 })
    for (const name of ['', '/tutorial', '/reference/functions']) {
      await page.goto(`/guide${name}`)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await expectNoSidewaysScrolling(page)
      await look(page, `${width}-guide${name.replaceAll('/', '-')}`)
      await expectNoObjections(page, `the guide${name} at ${width}`)
    }
  }
})

test('the tour goes from part to part of the window by keys, and can be ended anywhere', async ({ page }) => {
  await page.goto('/')
  await page.getByRole('link', { name: 'tour', exact: true }).click()
  const card = (stop: number) => page.getByRole('dialog', { name: `Tour, ${stop} of 7` })
  await expect(card(1).getByRole('heading')).toBeFocused()
  for (let stop = 1; stop < 7; stop += 1) {
    await expect(card(stop)).toBeInViewport({ ratio: 1 })
    await card(stop).getByRole('button', { name: 'Next' }).press('Enter')
  }
  await expect(page.getByRole('tab', { name: 'Dashboard' })).toHaveAttribute('aria-selected', 'true')
  await page.setViewportSize({ width: 390, height: 844 })
  await expect(card(7)).toBeInViewport({ ratio: 1 })
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goBack()
  await expect(card(6).getByRole('heading')).toBeFocused()
  await expectNoObjections(page, 'the tour', '[role=dialog]')
  await page.keyboard.press('Escape')
  await expect(page).not.toHaveURL(/tour/)
  await expect(card(6)).toHaveCount(0)
})
