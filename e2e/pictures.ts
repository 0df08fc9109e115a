// Screenshots, taken only when PIQL_SCREENSHOTS is set: `picture` for the documentation, `look` for whoever works on
// panels.
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, type Locator, type Page } from '@playwright/test'
import { expectNoSidewaysScrolling } from './sideways.ts'

const documentImages = fileURLToPath(new URL('../docs/images/', import.meta.url))
const results = fileURLToPath(new URL('test-results/panels/', import.meta.url))

/** Writes `docs/images/<name>.png`. */
export async function picture(target: Page | Locator, name: string): Promise<void> {
  if (process.env['PIQL_SCREENSHOTS']) await writeFile(`${documentImages}${name}.png`, await settledScreenshot(target))
}

/**
 * The first of two equal screenshots in a row: the editor colours a text a moment after it draws it. Stops after 8
 * tries, because a progress bar never rests.
 */
async function settledScreenshot(target: Page | Locator): Promise<Buffer> {
  const take = () => target.screenshot({ animations: 'disabled', caret: 'hide' })
  let last = await take()
  for (let tries = 0; tries < 8; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 400))
    const next = await take()
    if (next.equals(last)) break
    last = next
  }
  return last
}

/** Writes `e2e/test-results/panels/<name>.png`, which is not committed: panels in all themes and sizes, to look at. */
export async function look(page: Page, name: string): Promise<void> {
  if (process.env['PIQL_SCREENSHOTS']) await page.screenshot({ path: `${results}${name}.png`, animations: 'disabled' })
}

/** Scrolls to what a change of the window's size may just be drawing anew. */
export async function scrollTo(target: Locator): Promise<void> {
  await expect(() => target.scrollIntoViewIfNeeded({ timeout: 2000 })).toPass()
}

/** Pictures in both themes and in three widths, once a heading is there; nothing may be wider than the window. */
export async function looks(page: Page, name: string, heading: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const [width, height] of [
      [1440, 900],
      [1024, 768],
      [390, 844],
    ] as const) {
      await page.setViewportSize({ width, height })
      await expect(page.getByRole('heading', { name: heading })).toBeVisible()
      await page.getByRole('main').evaluate((main) => main.scrollTo(0, 0))
      await expectNoSidewaysScrolling(page)
      await look(page, `${name}-${colorScheme}-${width}`)
    }
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 1440, height: 900 })
}
