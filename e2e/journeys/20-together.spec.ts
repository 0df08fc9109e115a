// Several people edit one file at once: everybody sees the same text, and nothing that was typed is lost by a page that is
// offline or by a server that is killed.
import { expectNoObjections } from '../axe.ts'
import { expect, test } from '../fixtures.ts'
import { ADDRESS, FIND_USER, type Person, somebody, writeLine } from '../pages/Person.ts'
import { refuseSockets, Together, takePart } from '../pages/Together.ts'
import { Workbench } from '../pages/Workbench.ts'
import { look } from '../pictures.ts'

test('two people edit one file at once: each sees the other, and undo takes back only what is one’s own', async ({
  browser,
  server,
  api,
}) => {
  const ada = await somebody(browser, server.url)
  const ben = await somebody(browser, server.url)
  await expect(ada.together.people).toHaveCount(1)
  await expect(ben.together.people).toHaveCount(1)

  const typed = 'by Ada 😀'
  await writeLine(ada, typed)
  await ben.workbench.editor.expectText(FIND_USER, '-- by Ada 😀')
  await expect(ben.together.carets).toHaveCount(1)
  await writeLine(ben, 'by Ben')
  await ada.workbench.editor.expectText(FIND_USER, '-- by Ben')

  // What is typed slowly is taken back in several steps; there are no more steps than letters.
  for (const _ of `\n-- ${typed}`) await ada.workbench.editor.undo()
  await ben.workbench.editor.expectNoText(FIND_USER, 'by Ada')
  await ada.workbench.editor.expectText(FIND_USER, '-- by Ben')
  await expect(ada.workbench.saveState).toHaveText('Saved')
  await expect(ben.workbench.saveState).toHaveText('Saved')
  const saved = (await api.files()).find(({ path }) => path === FIND_USER)?.text
  expect(await ada.workbench.editor.text(FIND_USER)).toBe(saved)
  expect(await ben.workbench.editor.text(FIND_USER)).toBe(saved)
})

test('whoever has not got the shared text yet is shown nobody, and then everybody', async ({ browser, server }) => {
  const ada = await somebody(browser, server.url)
  const ben = await somebody(browser, server.url, (together) => together.holdText())
  await expect(ada.together.people).toHaveCount(1)
  await expect.poll(() => ben.together.isTextHeld).toBe(true)
  await expect(ben.together.people).toHaveCount(0)
  ben.together.deliverText()
  await expect(ben.together.people).toHaveCount(1)
  await writeLine(ben, 'by Ben')
  await ada.workbench.editor.expectText(FIND_USER, '-- by Ben')
})

test('five people edit one file, one of them offline for a while, and the server is killed meanwhile', {
  tag: '@long',
}, async ({ browser, server, api }) => {
  const people = await Promise.all([1, 2, 3, 4, 5].map(() => somebody(browser, server.url)))
  const [first, second, third, fourth, away] = people as [Person, Person, Person, Person, Person]
  for (const { together } of people) await expect(together.people).toHaveCount(4)

  await away.together.cutOff()
  await expect(away.together.note('Offline')).toBeVisible()
  await Promise.all(people.map((person, index) => writeLine(person, `line ${index}`)))
  await expect(away.workbench.saveState).toHaveText('Kept in this browser')

  await server.kill()
  await Promise.all([first, second].map((person, index) => writeLine(person, `while it was down ${index}`)))
  await server.resume()
  await writeLine(third, 'after it came back')
  await away.together.comeBack()
  await writeLine(fourth, 'the last')

  const expected = ['line 0', 'line 1', 'line 2', 'line 3', 'line 4', 'while it was down 0', 'while it was down 1']
  for (const { workbench } of people)
    for (const line of [...expected, 'after it came back', 'the last'])
      await workbench.editor.expectText(FIND_USER, `-- ${line}\n`)
  for (const { workbench } of people) await expect(workbench.saveState).toHaveText('Saved')
  const saved = (await api.files()).find(({ path }) => path === FIND_USER)?.text ?? ''
  for (const line of expected) expect(saved.split(`-- ${line}\n`)).toHaveLength(2)
  for (const { workbench } of people) expect(await workbench.editor.text(FIND_USER)).toBe(saved)
})

test('somebody is followed, and the bar with people has no objections of axe', { tag: '@long' }, async ({
  browser,
  server,
}) => {
  const ada = await somebody(browser, server.url)
  const ben = await somebody(browser, server.url)
  const page = ben.together.people.page()
  await ben.together.people.click()
  await expect(ben.together.people).toHaveAttribute('aria-pressed', 'true')
  await writeLine(ada, 'seen by Ben')
  await expect(ben.together.names).toBeVisible()
  for (const theme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme: theme })
    await expect(page.locator('html')).toHaveAttribute('data-theme', theme)
    for (const [width, height] of [
      [1440, 900],
      [1024, 768],
    ] as const) {
      await page.setViewportSize({ width, height })
      await expect(ben.together.people).toHaveAttribute('aria-pressed', 'true') // the editor may be made anew
      await look(page, `together-${theme}-${width}`)
    }
  }
  await expectNoObjections(page, 'an editor with two people')
  await ada.workbench.openFile('schema.piql')
  await expect(page).toHaveURL(/file=schema\.piql/)
})

test('without a socket the editor says so, and saves as somebody alone', async ({ browser, server, api }) => {
  const context = await browser.newContext({ baseURL: server.url })
  await takePart(context)
  const page = await context.newPage()
  await refuseSockets(page)
  const workbench = new Workbench(page)
  await workbench.open(ADDRESS)
  await expect(new Together(page).note('Not live')).toBeVisible()
  await workbench.editor.typeOver(FIND_USER, 'One user by name.', 'Saved alone.')
  await expect(workbench.saveState).toHaveText('Saved')
  expect((await api.files()).find(({ path }) => path === FIND_USER)?.text).toContain('Saved alone.')
})
