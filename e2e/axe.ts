// What axe objects to in a state of the page: every rule in the theme that is on, and what depends on colours in the other.
import { AxeBuilder } from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'

/** Rules that are off, or experimental, unless they are asked for. */
const ALSO = [
  'css-orientation-lock',
  'label-content-name-mismatch',
  'landmark-complementary-is-top-level',
  'p-as-heading',
  'table-fake-caption',
  'target-size',
  'td-has-header',
]
const OF_COLOURS = ['color-contrast', 'link-in-text-block']
const OTHER = { light: 'dark', dark: 'light' } as const

/** Looks at the whole page, or at the part of it that is another than before, in both themes. */
export async function expectNoObjections(page: Page, state: string, part = ':root'): Promise<void> {
  await settled(page)
  const theme = (await page.locator('html').getAttribute('data-theme')) === 'dark' ? 'dark' : 'light'
  const whole = axe(page)
    .include(part)
    .options({ rules: Object.fromEntries(ALSO.map((rule) => [rule, { enabled: true }])) })
  const inThis = await objections(whole)
  await page.emulateMedia({ colorScheme: OTHER[theme] })
  await expect(page.locator('html')).toHaveAttribute('data-theme', OTHER[theme])
  await settled(page)
  const inOther = await objections(axe(page).include(part).withRules(OF_COLOURS))
  await page.emulateMedia({ colorScheme: theme })
  await expect(page.locator('html')).toHaveAttribute('data-theme', theme)
  expect.soft({ [theme]: inThis, [OTHER[theme]]: inOther }, state).toEqual({ [theme]: [], [OTHER[theme]]: [] })
}

/** Without frames there is nothing to put together in a window of its own, which costs more than the look itself. */
function axe(page: Page): AxeBuilder {
  return new AxeBuilder({ page }).setLegacyMode()
}

async function objections(builder: AxeBuilder): Promise<string[]> {
  const { violations } = await builder.analyze()
  return violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}\n${nodes.map((node) => `  ${node.html}\n  ${node.failureSummary}`).join('\n')}`,
  )
}

/** Waits for a part that is being loaded, and for the colours that are on their way to others. */
async function settled(page: Page): Promise<void> {
  await expect(page.getByText(/^Loading \w+…$/)).toHaveCount(0)
  await page.evaluate(async () => {
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    await Promise.all(
      document
        .getAnimations()
        .filter((animation) => animation.effect?.getComputedTiming().endTime !== Infinity)
        .map((animation) => animation.finished.catch(() => undefined)),
    )
  })
}
