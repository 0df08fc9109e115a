// Pictures of the journeys for the documentation, taken only when PIQL_SCREENSHOTS is set.
import { fileURLToPath } from 'node:url'
import type { Locator, Page } from '@playwright/test'

const folder = fileURLToPath(new URL('../docs/images/', import.meta.url))

export async function picture(of: Page | Locator, name: string): Promise<void> {
  if (!process.env['PIQL_SCREENSHOTS']) return
  await of.screenshot({ path: `${folder}${name}.png`, animations: 'disabled', caret: 'hide' })
}
