import type { Locator, Page } from '@playwright/test'
import { Panel } from './Panel.ts'

/** The panel Comments: threads about lines, bounds and nodes, and the form that begins one. */
export class Comments extends Panel {
  readonly threads: Locator
  readonly newText: Locator
  /** Signs in the editor's margin beside lines with open threads. */
  readonly signs: Locator
  /** The row of the sidebar with the number of open threads. */
  readonly count: Locator

  constructor(page: Page) {
    super(page, 'Comments')
    this.threads = this.content.getByRole('list', { name: 'Threads' }).locator('> li')
    this.newText = this.content.getByRole('textbox', { name: 'New comment' })
    this.signs = page.getByRole('region', { name: 'Editor', exact: true }).locator('.piql-comments')
    this.count = page.getByRole('complementary', { name: 'Application' }).getByRole('button', { name: /^Comments/ })
  }

  /** The head of a thread, by what it is about. */
  head(about: string): Locator {
    return this.threads.getByRole('button', { name: about, exact: true })
  }

  get answerText(): Locator {
    return this.content.getByRole('textbox', { name: 'Answer' })
  }

  /** What was said in the thread that is open. */
  get said(): Locator {
    return this.content.getByRole('list', { name: /^Comments of thread/ }).locator('> li')
  }

  button(name: string | RegExp): Locator {
    return this.content.getByRole('button', { name })
  }

  /** Writes a comment into the form that is open, and sends it by the key. */
  async write(text: string): Promise<void> {
    await this.newText.fill(text)
    await this.newText.press('ControlOrMeta+Enter')
  }

  async answer(text: string): Promise<void> {
    await this.answerText.fill(text)
    await this.answerText.press('ControlOrMeta+Enter')
  }
}
