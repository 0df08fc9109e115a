// Measures, with five browsers in one file, the time from a key of one person until the compiler's answer to it is drawn
// in each of them, and how long the processors work for a key. Prints p50, p95 and the longest. At first the one types as
// fast as all have the answer and the others look on; then all type at the pace of people.
//
//     key is pressed → text → session → text of the others → compile → bound or squiggle → next frame, in each browser
//         └─ event.timeStamp                                                  performance.now() ─┘
// Times of two browsers are compared by their `timeOrigin`: both run on one machine.
import type { Browser, Page } from '@playwright/test'
import { expect, test } from '../fixtures.ts'
import { Together, takePart } from '../pages/Together.ts'
import { Workbench } from '../pages/Workbench.ts'
import { type Change, KEYS } from './limit-keys.ts'
import { type ProcessorTime, processorTime } from './processor.ts'

const PEOPLE = 5
const SCHEMA = 'schema.piql'
const QUERY = 'thoughtstream'
const ROUNDS = 40
const WARM_UP_ROUNDS = 5
const BUDGET_MS = 150
/** Five keys a second. */
const MS_OF_A_KEY = 200
/** What the others type, each in a line of their own. */
const WORDS = [...'-- limits', ...Array.from({ length: 9 }, () => 'Backspace')]

declare global {
  interface Window {
    /** Waits for the next change; `changedAt` then resolves to its time, in ms since 1970. */
    awaitChange?: (changes: Change) => void
    changedAt?: Promise<number>
    /** When the last key was pressed here, in ms since 1970. */
    pressedAt?: number
  }
}

test('time from a key of one to its diagnostics at all five', async ({ browser, server }) => {
  test.setTimeout(600_000)
  const pages = await openAll(browser, server.url)
  await measure('one types and four look on', browser, pages, 0)
})

test('the same while all five type', async ({ browser, server }) => {
  test.setTimeout(600_000)
  const pages = await openAll(browser, server.url)
  const others = pages.slice(1)
  let isOver = false
  for (const page of others) {
    await page.keyboard.press('ControlOrMeta+End')
    await page.keyboard.press('Enter')
  }
  const typing = others.map(async (page) => {
    for (let count = 0; !isOver; count += 1) {
      await page.keyboard.press(WORDS[count % WORDS.length] as string)
      await page.waitForTimeout(MS_OF_A_KEY)
    }
  })
  await measure('all type five keys a second', browser, pages, MS_OF_A_KEY)
  isOver = true
  await Promise.all(typing)
})

/** Opens the file on all pages, each with the caret behind the limit; the first one is in front. */
async function openAll(browser: Browser, url: string): Promise<Page[]> {
  const pages: Page[] = []
  for (let person = 0; person < PEOPLE; person += 1) {
    const context = await browser.newContext({ baseURL: url })
    await takePart(context)
    const page = await context.newPage()
    await page.addInitScript(watchChanges, QUERY)
    const workbench = new Workbench(page)
    await workbench.open(`/?file=${SCHEMA}&query=${QUERY}`)
    await expect(workbench.application.query(QUERY)).toContainText('≤ 101 ops')
    await workbench.editor.goBehind(SCHEMA, 'LIMIT 100')
    pages.push(page)
  }
  const [typist] = pages as [Page, ...Page[]]
  await expect(new Together(typist).people).toHaveCount(PEOPLE - 1)
  await typist.bringToFront()
  return pages
}

/** Lets the first page type, a key each `pauseMs` at most, and reports on it. */
async function measure(what: string, browser: Browser, pages: readonly Page[], pauseMs: number): Promise<void> {
  const [typist] = pages as [Page, ...Page[]]
  const atTypist: number[] = []
  const atOthers: number[] = []
  let before = await processorTime(browser)
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round += 1) {
    if (round === WARM_UP_ROUNDS) before = await processorTime(browser)
    await typist.keyboard.press('Space') // makes the text a new one, so that no cached compilation answers
    await typist.keyboard.press('ArrowLeft')
    for (const { key, changes } of KEYS) {
      const next = typist.waitForTimeout(pauseMs)
      await Promise.all(pages.map((page) => page.evaluate((of) => window.awaitChange?.(of), changes)))
      await typist.keyboard.press(key)
      const times = await Promise.all(pages.map((page) => page.evaluate(() => window.changedAt ?? Number.NaN)))
      const pressedAt = await typist.evaluate(() => window.pressedAt ?? Number.NaN)
      await next
      if (round < WARM_UP_ROUNDS) continue
      const [own, ...later] = times.map((time) => time - pressedAt) as [number, ...number[]]
      atTypist.push(own)
      atOthers.push(...later)
    }
  }
  expect(atOthers).toHaveLength((PEOPLE - 1) * atTypist.length)
  report(`${what}: key to diagnostics at the first`, atTypist)
  report(`${what}: key to diagnostics at the ${PEOPLE - 1} others`, atOthers)
  reportProcessors(what, before, await processorTime(browser), atTypist.length)
}

function reportProcessors(what: string, before: ProcessorTime, after: ProcessorTime, keys: number): void {
  const of = (part: keyof ProcessorTime) => ((after[part] - before[part]) / keys).toFixed(0)
  console.log(
    `${what}: for a key that is measured, the pages work ${of('pages')} ms, the browser ${of('browser')}, the server ${of('server')}`,
  )
}

function report(measurement: string, times: readonly number[]): void {
  const sorted = times.toSorted((a, b) => a - b)
  const [p50, p95, longest] = [0.5, 0.95, 1].map((share) => sorted[Math.ceil(share * sorted.length) - 1]?.toFixed(1))
  console.log(
    `${measurement}: ${sorted.length} times, p50 ${p50} ms, p95 ${p95} ms, longest ${longest} ms (budget: p95 ≤ ${BUDGET_MS} ms)`,
  )
}

/** Runs in the page and defines `window.awaitChange`; the bound is that of a query in the sidebar. */
function watchChanges(query: string): void {
  const shown = (changes: Change) =>
    changes === 'squiggle'
      ? String(document.querySelector('.squiggly-error') !== null)
      : ([...document.querySelectorAll('[aria-label="Queries"] li')].find((row) => row.textContent?.startsWith(query))
          ?.textContent ?? '')
  window.addEventListener('keydown', (event) => (window.pressedAt = performance.timeOrigin + event.timeStamp), {
    capture: true,
  })
  window.awaitChange = (changes) => {
    const before = shown(changes)
    window.changedAt = new Promise<number>((resolve) => {
      const observer = new MutationObserver(() => {
        if (shown(changes) === before) return
        observer.disconnect()
        requestAnimationFrame(() => setTimeout(() => resolve(performance.timeOrigin + performance.now()), 0))
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
