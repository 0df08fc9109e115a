// Pictures of the journeys for the documentation, taken only when PIQL_SCREENSHOTS is set.
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Locator, Page } from '@playwright/test'

const documents = fileURLToPath(new URL('../docs/images/', import.meta.url))
const results = fileURLToPath(new URL('test-results/panels/', import.meta.url))

export async function picture(of: Page | Locator, name: string): Promise<void> {
  if (process.env['PIQL_SCREENSHOTS']) await writeFile(`${documents}${name}.png`, await settled(of))
}

/** What is seen once nothing moves: the colours of a text come a moment after it. Progress never rests, so not forever. */
async function settled(of: Page | Locator): Promise<Buffer> {
  const take = () => of.screenshot({ animations: 'disabled', caret: 'hide' })
  let seen = await take()
  for (let looks = 0; looks < 8; looks += 1) {
    await new Promise((resolve) => setTimeout(resolve, 400))
    const next = await take()
    if (next.equals(seen)) break
    seen = next
  }
  return seen
}

/** For whoever wants to look at all panels, themes and sizes; not kept. */
export async function look(page: Page, name: string): Promise<void> {
  if (process.env['PIQL_SCREENSHOTS']) await page.screenshot({ path: `${results}${name}.png`, animations: 'disabled' })
}
