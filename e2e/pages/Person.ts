import type { Browser, Page } from '@playwright/test'
import { Together, takePart } from './Together.ts'
import { keepNotices, Workbench } from './Workbench.ts'

/** The file that people edit together, and where each of them opens it. */
export const FIND_USER = 'queries/findUser.piql'
export const ADDRESS = `/applications/scadr/development?file=${FIND_USER}&query=findUser`

/** Somebody in a browser of their own. */
export interface Person {
  page: Page
  workbench: Workbench
  together: Together
}

/** Somebody in a browser of their own who opens the file; `prepare` comes before that. */
export async function somebody(
  browser: Browser,
  url: string,
  prepare?: (together: Together, page: Page) => Promise<void> | void,
): Promise<Person> {
  const context = await browser.newContext({ baseURL: url })
  await takePart(context)
  const page = await context.newPage()
  await page.addInitScript(keepNotices)
  const together = new Together(page)
  await together.watchSockets()
  await prepare?.(together, page)
  const workbench = new Workbench(page)
  await workbench.open(ADDRESS)
  return { page, workbench, together }
}

/** Types a line of its own below the first line of the text. */
export async function writeLine({ workbench }: Person, line: string): Promise<void> {
  await workbench.editor.goBehind(FIND_USER, 'One user by name.')
  await workbench.editor.type(`\n-- ${line}`)
}
