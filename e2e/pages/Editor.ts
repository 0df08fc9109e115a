import { expect, type Locator, type Page } from '@playwright/test'
import { patience } from '../patience.ts'

declare global {
  interface Window {
    piqlWorkbench?: { editorText: (path: string) => string | undefined; caretLine: () => number }
  }
}

/** The editor (Monaco), used by the keyboard as its users do. */
export class Editor {
  readonly region: Locator
  /** The hidden text area that takes the keys; it has no size. */
  readonly area: Locator
  readonly lines: Locator
  /** Words in the text that are marked as unbounded. */
  readonly unbounded: Locator
  /** The lines under a refused query that say what grows without a limit. */
  readonly sentences: Locator
  readonly squiggles: Locator
  /** Bounds above their queries, and above tables the queries that are unbounded in them. */
  readonly lenses: Locator
  /** The source of the node that is chosen in the plan. */
  readonly selectedSource: Locator
  readonly lightBulb: Locator
  readonly fixes: Locator
  readonly references: Locator
  readonly symbols: Locator
  readonly foldedMarks: Locator

  constructor(private readonly page: Page) {
    this.region = page.getByRole('region', { name: 'Editor', exact: true })
    this.area = this.region.getByRole('textbox', { name: /^PIQL editor/ })
    this.lines = this.region.locator('.view-line')
    this.unbounded = this.region.locator('.piql-unbounded')
    this.sentences = this.region.locator('.piql-sentence')
    this.squiggles = this.region.locator('.squiggly-error')
    this.lenses = this.region.locator('.piql-lens')
    this.selectedSource = this.region.locator('.piql-selected-node')
    this.lightBulb = this.region.locator('.lightBulbWidget, [class*="codicon-gutter-lightbulb"]')
    this.fixes = page.getByRole('listbox').getByRole('option')
    this.references = this.region.locator('.reference-zone-widget')
    this.symbols = page.locator('.quick-input-list .monaco-list-row')
    this.foldedMarks = this.region.locator('.inline-folded')
  }

  /** The button that explains the bound of the current query, which is in its name. */
  get explain(): Locator {
    return this.region.getByRole('button', { name: /^Explain/ })
  }

  /** The bound above a query. */
  lensOf(query: string): Locator {
    return this.region.locator(`.piql-lens[data-query="${query}"]`)
  }

  /** Opens the popup of the first problem in the text: the link in it to the page of the problem's code. */
  async hoverFirstSquiggle(): Promise<Locator> {
    const link = this.page.locator('.monaco-hover .code-link')
    await expect(async () => {
      await this.page.mouse.move(0, 0) // a new editor only notices a pointer that moves into it
      await this.squiggles.first().hover({ force: true }) // the squiggle lies under its text
      await expect(link).toBeVisible({ timeout: 3_000 * patience })
    }).toPass()
    return link
  }

  /** The whole text of an open file; the document only holds the lines in sight. */
  text(path: string): Promise<string> {
    return this.page.evaluate((openPath) => window.piqlWorkbench?.editorText(openPath) ?? '', path)
  }

  async expectText(path: string, expected: string | RegExp): Promise<void> {
    const text = expect.poll(() => this.text(path), { message: `the text of ${path}` })
    await (typeof expected === 'string' ? text.toContain(expected) : text.toMatch(expected))
  }

  async expectNoText(path: string, unexpected: string): Promise<void> {
    await expect.poll(() => this.text(path), { message: `the text of ${path}` }).not.toContain(unexpected)
  }

  /** Moves the caret behind the first occurrence of some words in the open file. */
  async goBehind(path: string, words: string): Promise<void> {
    const text = await this.text(path)
    const offset = text.indexOf(words)
    expect(offset, `“${words}” in ${path}`).toBeGreaterThanOrEqual(0)
    const before = text.slice(0, offset + words.length).split('\n')
    await this.area.focus()
    await this.page.keyboard.press('ControlOrMeta+Home')
    await this.press('ArrowDown', before.length - 1)
    await this.press('ArrowRight', before.at(-1)?.length ?? 0)
  }

  /** Deletes the line with the first occurrence of some words. */
  async deleteLine(path: string, words: string): Promise<void> {
    await this.goBehind(path, words)
    await this.page.keyboard.press('ControlOrMeta+Shift+K')
  }

  /** Replaces some words by others, as typed over them. */
  async typeOver(path: string, words: string, typed: string): Promise<void> {
    await this.goBehind(path, words)
    await this.page.keyboard.down('Shift')
    await this.press('ArrowLeft', words.length)
    await this.page.keyboard.up('Shift')
    await this.page.keyboard.type(typed)
  }

  async type(text: string): Promise<void> {
    await this.page.keyboard.type(text)
  }

  /** Renames what the caret is in. */
  async rename(name: string): Promise<void> {
    await this.page.bringToFront() // a page that is not in front has no focus to give
    await this.press('F2')
    const box = this.page.locator('.rename-input').first()
    await expect(box).toBeFocused()
    await this.page.keyboard.press('ControlOrMeta+A')
    await this.page.keyboard.type(name)
    await this.press('Enter')
  }

  /** The text of the line that the caret is in. */
  async caretLine(path: string): Promise<string> {
    const line = await this.page.evaluate(() => window.piqlWorkbench?.caretLine() ?? 0)
    return (await this.text(path)).split('\n')[line - 1] ?? ''
  }

  async colourOf(word: string): Promise<string> {
    const token = this.lines.locator('span', { hasText: new RegExp(`^${word}$`) }).first()
    return token.evaluate((element) => getComputedStyle(element).color)
  }

  /** Enters a text at once, as an input method or the clipboard does: no word of it is completed. */
  async paste(text: string): Promise<void> {
    await this.page.keyboard.insertText(text)
  }

  async undo(): Promise<void> {
    await this.page.keyboard.press('ControlOrMeta+Z')
  }

  async press(key: string, times = 1): Promise<void> {
    for (let count = 0; count < times; count += 1) await this.page.keyboard.press(key)
  }

  async openLightBulb(): Promise<void> {
    await this.lightBulb.filter({ visible: true }).first().click()
    await expect(this.fixes.first()).toBeVisible()
  }

  async applyFix(title: string | RegExp): Promise<void> {
    await this.fixes.filter({ hasText: title }).first().click()
  }

  async applyFirstFixByKeyboard(): Promise<void> {
    await this.page.keyboard.press('ControlOrMeta+.')
    await expect(this.fixes.first()).toBeVisible()
    await this.page.keyboard.press('Enter')
  }
}
