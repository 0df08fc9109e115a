// Two servers of one team, of which one is killed while two people edit and save: the one that has the data folder, and the
// other one. Each person's socket goes through another server. Nobody reloads a page.
import type { Browser } from '@playwright/test'
import { expect, test } from '../fixtures.ts'
import { Passage } from '../pages/Passage.ts'
import { FIND_USER, type Person, somebody, writeLine } from '../pages/Person.ts'

test.use({ servers: 2 })

/** How many lines each person types. The server is killed once some of them are saved, while the others are typed. */
const LINES = 8
const SAVED = 3

interface Passenger extends Person {
  passage: Passage
}

async function passenger(browser: Browser, url: string): Promise<Passenger> {
  const passage = new Passage()
  return { ...(await somebody(browser, url, (_, page) => passage.watch(page))), passage }
}

/** Two people whose sockets go through two servers. */
async function twoPeople(browser: Browser, url: string): Promise<[Passenger, Passenger]> {
  const ada = await passenger(browser, url)
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const ben = await passenger(browser, url)
    await expect(ben.together.people).toHaveCount(1)
    if (ben.passage.servers.at(-1) !== ada.passage.servers.at(-1)) return [ada, ben]
    await ben.page.context().close()
    await expect(ada.together.people).toHaveCount(0)
  }
  throw new Error('all sockets go through one server')
}

const lineOf = (index: number, number: number) => `person ${index} line ${number}`

async function typeLines(person: Person, index: number, first: number, last: number): Promise<void> {
  for (let number = first; number <= last; number += 1) await writeLine(person, lineOf(index, number))
}

for (const killed of ['writer', 'follower'] as const)
  test(`the ${killed} is killed while two people type: all goes on by itself, and no line is lost`, {
    tag: '@long',
  }, async ({ browser, server, api }) => {
    const people = await twoPeople(browser, server.url)
    const before = people.map(({ passage }) => passage.servers.length)
    await Promise.all(people.map((person, index) => typeLines(person, index, 1, SAVED)))
    for (const { workbench } of people) await expect(workbench.saveState).toHaveText('Saved')
    await Promise.all([
      killed === 'writer' ? server.kill() : server.killFollower(),
      ...people.map((person, index) => typeLines(person, index, SAVED + 1, LINES)),
    ])

    const typed = people.flatMap((_, index) => Array.from({ length: LINES }, (_, at) => lineOf(index, at + 1)))
    for (const { workbench, together } of people) {
      for (const line of typed) await workbench.editor.expectText(FIND_USER, `-- ${line}\n`)
      await expect(workbench.saveState).toHaveText('Saved')
      await expect(workbench.banner).toHaveCount(0)
      await expect(together.people).toHaveCount(1)
    }
    const saved = (await api.files()).find(({ path }) => path === FIND_USER)?.text ?? ''
    for (const line of typed) expect(saved.split(`-- ${line}\n`), line).toHaveLength(2)
    for (const { workbench } of people) expect(await workbench.editor.text(FIND_USER)).toBe(saved)

    // A follower that is gone is noticed only by the page whose socket went through it.
    const opened = people.map(({ passage }, index) => passage.servers.length - (before[index] ?? 0))
    expect(opened.filter((count) => count > 0)).toHaveLength(killed === 'writer' ? 2 : 1)
    expect(new Set(people.map(({ passage }) => passage.servers.at(-1))).size).toBe(1)
  })
