// Pictures of the journeys for the documentation, taken only when PIQL_SCREENSHOTS is set.
import { fileURLToPath } from 'node:url'
import type { Page } from '@playwright/test'

const folder = fileURLToPath(new URL('../docs/images/', import.meta.url))

export async function picture(page: Page, name: string): Promise<void> {
  if (!process.env['PIQL_SCREENSHOTS']) return
  await page.screenshot({ path: `${folder}${name}.png`, animations: 'disabled', caret: 'hide' })
}
