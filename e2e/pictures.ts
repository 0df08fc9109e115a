// Pictures of the journeys for the documentation, taken only when PIQL_SCREENSHOTS is set.
import { fileURLToPath } from 'node:url'
import type { Locator, Page } from '@playwright/test'

const documents = fileURLToPath(new URL('../docs/images/', import.meta.url))
const results = fileURLToPath(new URL('test-results/panels/', import.meta.url))

export async function picture(of: Page | Locator, name: string): Promise<void> {
  if (process.env['PIQL_SCREENSHOTS']) await of.screenshot({ path: `${documents}${name}.png`, animations: 'disabled' })
}

/** For whoever wants to look at all panels, themes and sizes; not kept. */
export async function look(page: Page, name: string): Promise<void> {
  if (process.env['PIQL_SCREENSHOTS']) await page.screenshot({ path: `${results}${name}.png`, animations: 'disabled' })
}
