// Measures what each route weighs and how it loads: bytes on the wire without the API's, the largest contentful paint,
// and the longest task of the main thread. Budgets are printed beside them; nothing fails when one is exceeded.
import type { Browser } from '@playwright/test'
import { test } from '../fixtures.ts'
import { weigh } from '../weight.ts'

const APPLICATION = '/applications/scadr/development'
const LCP_BUDGET_MS = 1000
const TASK_BUDGET_MS = 200

const ROUTES = [
  { name: 'home', path: '/', budgetKiB: 220 },
  { name: 'dashboard', path: `${APPLICATION}/dashboard`, budgetKiB: 220 },
  { name: 'editor', path: `${APPLICATION}?query=thoughtstream&file=queries/thoughtstream.piql`, budgetKiB: 1126 },
]

test('what each route weighs, and how it loads', async ({ browser, server }) => {
  for (const route of ROUTES) {
    const { kiB, lcpMs, longestTaskMs } = await load(browser, server.url + route.path)
    console.log(
      `${route.name}: ${kiB.toFixed(0)} KiB (budget ${route.budgetKiB}), largest contentful paint ${lcpMs.toFixed(0)} ms (budget ${LCP_BUDGET_MS}), longest task ${longestTaskMs.toFixed(0)} ms (budget ${TASK_BUDGET_MS})`,
    )
  }
})

/** Opens a page with an empty cache until nothing more is loaded. */
async function load(browser: Browser, url: string) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  await page.addInitScript(() => {
    window.paintMs = 0
    window.longestTaskMs = 0
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) window.longestTaskMs = Math.max(window.longestTaskMs ?? 0, entry.duration)
    }).observe({ type: 'longtask', buffered: true })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) window.paintMs = entry.startTime
    }).observe({ type: 'largest-contentful-paint', buffered: true })
  })
  const weight = await weigh(page)
  await page.goto(url)
  await page.waitForLoadState('networkidle')
  const { lcpMs, longestTaskMs } = await page.evaluate(() => ({
    lcpMs: window.paintMs ?? 0,
    longestTaskMs: window.longestTaskMs ?? 0,
  }))
  await context.close()
  return { kiB: weight.bytes() / 1024, lcpMs, longestTaskMs }
}

declare global {
  interface Window {
    /** When the largest content so far was painted. */
    paintMs?: number
    longestTaskMs?: number
  }
}
