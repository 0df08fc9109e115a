import { expect, type Locator, type Page } from '@playwright/test'
import { patience } from '../patience.ts'

declare global {
  interface Window {
    piqlWorkbench?: { editorText: (path: string) => string | undefined; caretLine: () => number }
  }
}

/** Monaco, used as its users do: by the keyboard. */
export class Editor {
  readonly region: Locator
  /** What takes the keys; it has no size of its own. */
  readonly area: Locator
  readonly lines: Locator
  /** What is marked as growing without a limit. */
  readonly unbounded: Locator
  /** What grows with what, under a query that is refused. */
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

  /** The link to a code's page, in the popup of its finding. */
  async hoverFirstSquiggle(): Promise<Locator> {
    const link = this.page.locator('.monaco-hover .code-link')
    await expect(async () => {
      await this.page.mouse.move(0, 0) // an editor that has just opened forgets where the pointer is
      await this.squiggles.first().hover({ force: true }) // the text lies over its squiggle
      await expect(link).toBeVisible({ timeout: 3_000 * patience })
    }).toPass()
    return link
  }

  /** The whole text of a file; the page itself only draws the lines in sight. */
  text(path: string): Promise<string> {
    return this.page.evaluate((of) => window.piqlWorkbench?.editorText(of) ?? '', path)
  }

  async expectText(path: string, expected: string | RegExp): Promise<void> {
    const text = expect.poll(() => this.text(path), { message: `the text of ${path}` })
    await (typeof expected === 'string' ? text.toContain(expected) : text.toMatch(expected))
  }

  async expectNoText(path: string, unexpected: string): Promise<void> {
    await expect.poll(() => this.text(path), { message: `the text of ${path}` }).not.toContain(unexpected)
  }

  /** Walks to the place right behind the first occurrence of some words in the open file. */
  async goBehind(path: string, words: string): Promise<void> {
    const text = await this.text(path)
    const at = text.indexOf(words)
    expect(at, `“${words}” in ${path}`).toBeGreaterThanOrEqual(0)
    const before = text.slice(0, at + words.length).split('\n')
    await this.area.focus()
    await this.page.keyboard.press('ControlOrMeta+Home')
    await this.press('ArrowDown', before.length - 1)
    await this.press('ArrowRight', before.at(-1)?.length ?? 0)
  }

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

  async rename(name: string): Promise<void> {
    await this.press('F2')
    const box = this.page.locator('.rename-input').first()
    await expect(box).toBeFocused()
    await this.page.keyboard.press('ControlOrMeta+A')
    await this.page.keyboard.type(name)
    await this.press('Enter')
  }

  /** The line that the caret is in. */
  async caretLine(path: string): Promise<string> {
    const line = await this.page.evaluate(() => window.piqlWorkbench?.caretLine() ?? 0)
    return (await this.text(path)).split('\n')[line - 1] ?? ''
  }

  async colourOf(word: string): Promise<string> {
    const token = this.lines.locator('span', { hasText: new RegExp(`^${word}$`) }).first()
    return token.evaluate((element) => getComputedStyle(element).color)
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
