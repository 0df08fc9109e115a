// Accessibility checks by axe: a page is checked by all rules in its present theme (light or dark), then in the other one.
// Most of the time goes into the contrast of colours, which each theme needs anyway. Where `PIQL_E2E_THEMES` is `present`,
// as in `make test`, the other theme is left out, but for the panels (`9-axe.spec.ts`).
import { AxeBuilder } from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'

/** Rules that axe runs only on request, because they are experimental or off by default. */
const EXTRA_RULES = [
  'css-orientation-lock',
  'label-content-name-mismatch',
  'landmark-complementary-is-top-level',
  'p-as-heading',
  'table-fake-caption',
  'target-size',
  'td-has-header',
]
/** Nothing is made of what passes: it would be described at length, element by element, and left unread. */
const VIOLATIONS_ONLY = { resultTypes: ['violations' as const] }
const OPPOSITE_THEME = { light: 'dark', dark: 'light' } as const
const THEMES = process.env['PIQL_E2E_THEMES'] === 'present' ? 'present' : 'both'

/**
 * Fails (softly) if axe reports anything in the themes. `state` names the state of the page in the failure; `part` is a
 * selector that limits the check.
 */
export async function expectNoObjections(page: Page, state: string, part = ':root', themes = THEMES): Promise<void> {
  await settled(page)
  const theme = (await page.locator('html').getAttribute('data-theme')) === 'dark' ? 'dark' : 'light'
  const opposite = OPPOSITE_THEME[theme]
  const objectionsInTheme = await objections(axe(page, part))
  if (themes === 'present') {
    expect.soft({ [theme]: objectionsInTheme }, state).toEqual({ [theme]: [] })
    return
  }
  await page.emulateMedia({ colorScheme: opposite })
  await expect(page.locator('html')).toHaveAttribute('data-theme', opposite)
  await settled(page)
  const objectionsInOpposite = await objections(axe(page, part))
  await page.emulateMedia({ colorScheme: theme })
  await expect(page.locator('html')).toHaveAttribute('data-theme', theme)
  expect
    .soft({ [theme]: objectionsInTheme, [opposite]: objectionsInOpposite }, state)
    .toEqual({ [theme]: [], [opposite]: [] })
}

/**
 * Legacy mode does not check iframes. The usual mode opens a second window to merge their results, which takes longer
 * than the check; this page has no iframe.
 */
function axe(page: Page, part: string): AxeBuilder {
  const rules = Object.fromEntries(EXTRA_RULES.map((rule) => [rule, { enabled: true }]))
  return new AxeBuilder({ page })
    .setLegacyMode()
    .include(part)
    .options({ ...VIOLATIONS_ONLY, rules })
}

/** A text for each rule that is violated, with the elements that violate it. */
async function objections(builder: AxeBuilder): Promise<string[]> {
  const { violations } = await builder.analyze()
  return violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}\n${nodes.map((node) => `  ${node.html}\n  ${node.failureSummary}`).join('\n')}`,
  )
}

/** Waits until lazily loaded parts are there and transitions of colours have ended. */
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
