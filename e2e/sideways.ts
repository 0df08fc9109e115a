import { expect, type Page } from '@playwright/test'

/** Nothing may be wider than the window, once a change of its size was drawn. */
export async function expectNoSidewaysScrolling(page: Page, where = page.url()): Promise<void> {
  const excess = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  await expect.poll(excess, { message: `what is wider than the window: ${where}` }).toBeLessThanOrEqual(0)
}
