// What developers expect of an editor: going to a declaration, references, renaming, the outline, formatting, folding and
// hints for parameters.
import { expect, test } from '../fixtures.ts'
import { look } from '../pictures.ts'

const QUERY = 'queries/thoughtstream.piql'

test('a name leads to its declaration in another file, and the back button returns', async ({ workbench, page }) => {
  const { editor } = workbench
  await workbench.open(`/?file=${QUERY}`)
  await editor.goBehind(QUERY, 's.owner')
  await editor.press('F12')
  await expect(page).toHaveURL(/file=schema\.piql/)
  await expect.poll(() => editor.caretLine('schema.piql')).toMatch(/^ +owner +VARCHAR/)
  await page.goBack()
  await expect(page).toHaveURL(/file=queries%2Fthoughtstream\.piql|file=queries\/thoughtstream\.piql/)
  await editor.goBehind(QUERY, 'JOIN thoughts')
  await editor.press('F12')
  await expect.poll(() => editor.caretLine('schema.piql')).toBe('CREATE TABLE thoughts (')
})

test('all references are shown, over all files', async ({ workbench, page }) => {
  const { editor } = workbench
  await workbench.open('/applications/scadr/development?file=schema.piql')
  await editor.goBehind('schema.piql', 'CREATE TABLE thoughts')
  await editor.press('Shift+F12')
  await expect(editor.references).toBeVisible()
  await expect(editor.references).toContainText('thoughtstream.piql')
  await look(page, 'references')
  // The text of a file that was never open is shown, too.
  await editor.references.getByText('thoughtstream.piql').click()
  await expect(editor.references).toContainText('JOIN thoughts')
  await editor.press('Escape')
  await expect(editor.references).toBeHidden()
})

test('a rename changes all files, and one undo takes it back', async ({ workbench, page }) => {
  const { editor, problems } = workbench
  await workbench.open(`/?file=${QUERY}`)
  await editor.goBehind(QUERY, 's.target')
  await editor.rename('followee')
  await editor.expectText(QUERY, 't.owner = s.followee')
  await editor.expectText('schema.piql', 'PRIMARY KEY (owner, followee)')
  await editor.expectNoText('schema.piql', 'target')
  await expect(problems.none).toBeVisible()
  await look(page, 'renamed')
  await editor.undo()
  await editor.expectText(QUERY, 't.owner = s.target')
  await editor.expectText('schema.piql', 'PRIMARY KEY (owner, target)')
  await expect(problems.none).toBeVisible()
})

test('a name that is taken changes nothing, and says so', async ({ workbench }) => {
  const { editor } = workbench
  await workbench.open(`/?file=${QUERY}`)
  await editor.goBehind(QUERY, 's.target')
  await editor.rename('owner')
  await workbench.expectNotice('Nothing is renamed. There is a column owner already.')
  await editor.expectText(QUERY, 't.owner = s.target')
  await editor.goBehind(QUERY, 'SELECT')
  await editor.press('F2')
  await expect(editor.region.getByText('Nothing here has a name that can change.')).toBeVisible()
})

test('the outline leads to a table, and words are coloured by what they mean', async ({ workbench, page }) => {
  const { editor } = workbench
  await workbench.open('/applications/scadr/development?file=schema.piql')
  await editor.goBehind('schema.piql', 'CREATE TABLE users')
  await editor.press('ControlOrMeta+Shift+O')
  await expect(editor.symbols.first()).toBeVisible()
  await look(page, 'outline')
  await page.keyboard.type('thoughts')
  await editor.press('Enter')
  await expect.poll(() => editor.caretLine('schema.piql')).toMatch(/CREATE TABLE thoughts/)
  await expect.poll(() => editor.colourOf('thoughts')).not.toBe(await editor.colourOf('CREATE'))
})

test('formatting keeps comments, is undone at once, and refuses what cannot be read', async ({ workbench, page }) => {
  const { editor } = workbench
  await workbench.open(`/?file=${QUERY}`)
  await editor.goBehind(QUERY, 't.posted, ')
  await editor.type('/* 😀 what */   ')
  await editor.press('Shift+Alt+F')
  await editor.expectText(QUERY, /\/\* 😀 what \*\/\n/)
  await editor.undo()
  await editor.expectText(QUERY, '/* 😀 what */   ')
  await editor.press('ControlOrMeta+Home')
  await editor.type('CREATE QUERY broken AS SELECT FROM;\n')
  await editor.press('Shift+Alt+F')
  await workbench.expectNotice(`${QUERY} is not formatted: line 1 must be corrected first`)
  await look(page, 'not-formatted')
})

test('a statement is folded, and parentheses say what they expect', async ({ workbench, page }) => {
  const { editor } = workbench
  await workbench.open('/applications/scadr/development?file=schema.piql')
  await editor.goBehind('schema.piql', 'CREATE TABLE users')
  await editor.press('ControlOrMeta+Shift+BracketLeft')
  await expect(editor.foldedMarks.first()).toBeVisible()
  await editor.press('ControlOrMeta+Shift+BracketRight')
  await expect(editor.foldedMarks).toHaveCount(0)
  await editor.press('ControlOrMeta+End')
  await editor.type('\nCREATE QUERY q AS SELECT SUBSTR(')
  await expect(page.locator('.parameter-hints-widget')).toContainText('SUBSTR(text, from, length)')
  await look(page, 'signature')
})
