// From a key to what the compiler says of it, as seen on the screen.
//
//     key is pressed → Monaco → compile on the back end → squiggle, or bound in the sidebar → next frame
//         └─ event.timeStamp                                              performance.now() ─┘
import type { Page } from '@playwright/test'
import { expect, test } from '../fixtures.ts'

const SCHEMA = 'schema.piql'
const MANY = 'queries/many.piql'
const MANY_QUERIES = 100
/** Typed right behind the 100 of CARDINALITY LIMIT: each key changes either a bound or a squiggle. */
const KEYS = [
  { key: '0', changes: 'bound' },
  { key: 'Backspace', changes: 'bound' },
  { key: 'x', changes: 'squiggle' },
  { key: 'Backspace', changes: 'squiggle' },
] as const
const ROUNDS = 60
const WARM_UP_ROUNDS = 5
const BUDGET_MS = 100

type Change = (typeof KEYS)[number]['changes']

declare global {
  interface Window {
    /** Armed before a key is pressed; gives the milliseconds until its effect was drawn. */
    timeNextKey?: (changes: Change) => void
    drawnAfter?: Promise<number>
  }
}

test('time from a key to its diagnostics', async ({ workbench, page }) => {
  await page.addInitScript(watchKeys, { name: 'thoughtstream', isAbove: false })
  await workbench.open(`/?file=${SCHEMA}&query=thoughtstream`)
  await expect(workbench.application.query('thoughtstream')).toContainText('≤ 101 ops')
  await workbench.editor.goBehind(SCHEMA, 'LIMIT 100')
  await type(page, WARM_UP_ROUNDS)
  const used = await mainThread(page)
  const before = await used()
  const times = await type(page, ROUNDS)
  for (const changes of ['bound', 'squiggle'] as const)
    report(
      `key to ${changes}`,
      times.filter((time) => time.changes === changes).map((time) => time.ms),
    )
  report(
    'key to diagnostics',
    times.map((time) => time.ms),
  )
  reportWork('key to diagnostics', ((await used()) - before) / times.length)
})

test('time from a key to the bounds above a hundred queries that it changes', async ({ workbench, api, page }) => {
  await api.create(MANY, manyQueries())
  await page.addInitScript(watchKeys, { name: 'many1', isAbove: true })
  await workbench.open(`/?file=${MANY}&query=many1`)
  await expect(workbench.editor.lensOf('many1')).toContainText('≤ 101 ops')
  await workbench.editor.goBehind(MANY, 'LIMIT 100')
  await type(page, WARM_UP_ROUNDS)
  const used = await mainThread(page)
  const before = await used()
  const times = await type(page, ROUNDS)
  report(
    `key to the bounds above ${MANY_QUERIES} queries`,
    times.map((time) => time.ms),
  )
  reportWork(`key to the bounds above ${MANY_QUERIES} queries`, ((await used()) - before) / times.length)
})

/** A table and queries that all read as much as its limit says. */
function manyQueries(): string {
  const table =
    'CREATE TABLE follows (owner VARCHAR(32), target VARCHAR(32), since INT, CARDINALITY LIMIT 100 (owner), PRIMARY KEY (owner, target));'
  const query = (number: number) =>
    `CREATE QUERY many${number} AS\nSELECT u.username, u.hometown\nFROM follows f JOIN users u ON u.username = f.target\nWHERE f.owner = [1: me] AND f.since > ${number};`
  return [table, ...Array.from({ length: MANY_QUERIES }, (_, at) => query(at + 1))].join('\n\n')
}

/** Gives the processor time that the page's main thread has used; it does not grow while others have the processor. */
async function mainThread(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return (metrics.find((metric) => metric.name === 'TaskDuration')?.value ?? Number.NaN) * 1000
  }
}

function reportWork(what: string, ms: number): void {
  console.log(`${what}: ${ms.toFixed(1)} ms of the main thread's processor time a key`)
}

async function type(page: Page, rounds: number): Promise<{ changes: Change; ms: number }[]> {
  const times: { changes: Change; ms: number }[] = []
  for (let round = 0; round < rounds; round += 1) {
    // No round sees the texts of an earlier one: what was compiled before must not help.
    await page.keyboard.press('Space')
    await page.keyboard.press('ArrowLeft')
    for (const { key, changes } of KEYS) {
      await page.evaluate((of) => window.timeNextKey?.(of), changes)
      await page.keyboard.press(key)
      times.push({ changes, ms: await page.evaluate(() => window.drawnAfter ?? Number.NaN) })
    }
  }
  return times
}

function report(what: string, times: readonly number[]): void {
  const sorted = times.toSorted((a, b) => a - b)
  const quantile = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
  const numbers = [0.5, 0.95, 1].map((share) => quantile(share).toFixed(1))
  console.log(
    `${what}: ${sorted.length} keys, p50 ${numbers[0]} ms, p95 ${numbers[1]} ms, longest ${numbers[2]} ms (budget: p95 ≤ ${BUDGET_MS} ms)`,
  )
}

/** Runs in the page; `isAbove`: the bound is looked for above its query, else in the list at the side. */
function watchKeys({ name, isAbove }: { name: string; isAbove: boolean }): void {
  const seen = (changes: Change) =>
    changes === 'squiggle'
      ? String(document.querySelector('.squiggly-error') !== null)
      : isAbove
        ? (document.querySelector(`.piql-lens[data-query="${name}"]`)?.textContent ?? '')
        : ([...document.querySelectorAll('[aria-label="Queries"] li')].find((row) => row.textContent?.startsWith(name))
            ?.textContent ?? '')
  window.timeNextKey = (changes) => {
    const before = seen(changes)
    window.drawnAfter = new Promise((resolve) => {
      let pressed = performance.now()
      window.addEventListener('keydown', (event) => (pressed = event.timeStamp), { capture: true, once: true })
      const observer = new MutationObserver(() => {
        if (seen(changes) === before) return
        observer.disconnect()
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - pressed), 0))
      })
      observer.observe(document.body, {
        subtree: true,
        childList: true,
        characterData: true,
        attributes: true,
        attributeFilter: ['class'],
      })
    })
  }
}
