import { expect, type Locator, type Page } from '@playwright/test'
import { Application } from './Application.ts'
import { Bounds } from './Bounds.ts'
import { Comments } from './Comments.ts'
import { Dashboard } from './Dashboard.ts'
import { Data } from './Data.ts'
import { Deploy } from './Deploy.ts'
import { Diagram } from './Diagram.ts'
import { Editor } from './Editor.ts'
import { Flow } from './Flow.ts'
import { Heatmap } from './Heatmap.ts'
import { History } from './History.ts'
import { Plan } from './Plan.ts'
import { Problems } from './Problems.ts'
import { Profile } from './Profile.ts'
import { Run } from './Run.ts'

declare global {
  interface Window {
    /** The texts of all notices since the page was opened; see `keepNotices`. */
    noticesShown?: string[]
  }
}

/** Runs in a page before its own scripts: keeps the text of each notice. */
export function keepNotices(): void {
  const shown: string[] = (window.noticesShown = [])
  new MutationObserver(() => {
    for (const notice of document.querySelector('[role=status][aria-label=Notices]')?.children ?? []) {
      const text = notice.textContent ?? ''
      if (!shown.includes(text)) shown.push(text)
    }
  }).observe(document, { subtree: true, childList: true, characterData: true })
}

export type PanelTitle =
  | 'Plan'
  | 'Bounds'
  | 'Diagram'
  | 'Profile'
  | 'Heatmap'
  | 'Deploy'
  | 'Run'
  | 'Data'
  | 'Dashboard'
  | 'History'
  | 'Comments'

/** The whole page: the models of its parts, and what concerns all of them. */
export class Workbench {
  readonly application: Application
  readonly editor: Editor
  readonly problems: Problems
  readonly plan: Plan
  readonly bounds: Bounds
  readonly diagram: Diagram
  readonly profile: Profile
  readonly heatmap: Heatmap
  readonly deploy: Deploy
  readonly run: Run
  readonly data: Data
  readonly dashboard: Dashboard
  readonly history: History
  readonly comments: Comments

  /** The line at the top that says that the server or the store does not answer. */
  readonly banner: Locator
  readonly notices: Locator
  readonly saveState: Locator
  readonly status: Locator
  /** The steps of the work, and what matters now. */
  readonly flow: Flow
  readonly palette: Locator
  /** The dialog that explains a diagnostic code. */
  readonly code: Locator

  constructor(private readonly page: Page) {
    this.application = new Application(page)
    this.editor = new Editor(page)
    this.problems = new Problems(page)
    this.plan = new Plan(page)
    this.bounds = new Bounds(page)
    this.diagram = new Diagram(page)
    this.profile = new Profile(page)
    this.heatmap = new Heatmap(page)
    this.deploy = new Deploy(page)
    this.run = new Run(page)
    this.data = new Data(page)
    this.dashboard = new Dashboard(page)
    this.history = new History(page)
    this.comments = new Comments(page)
    this.banner = page.getByRole('alert').filter({ hasText: /your text is safe here|The store is not answering/ })
    this.notices = page.getByRole('status', { name: 'Notices' })
    this.saveState = page.getByRole('status', { name: 'Save state' })
    this.flow = new Flow(page)
    this.status = page.getByRole('region', { name: 'Status', exact: true })
    this.code = page
      .getByRole('dialog')
      .filter({ has: page.getByRole('heading', { name: 'Example' }).or(page.getByRole('table', { name: /^Codes/ })) })
    this.palette = page.getByRole('dialog', { name: 'Command palette' })
  }

  /** Waits until a notice with this text has been shown. It may be gone by now: notices vanish after seconds. */
  async expectNotice(text: string | RegExp): Promise<void> {
    const shown = expect.poll(() => this.page.evaluate(() => (window.noticesShown ?? []).join('\n')), {
      message: 'the notices that were shown',
    })
    await (typeof text === 'string' ? shown.toContain(text) : shown.toMatch(text))
  }

  /** Opens the workbench, or the view that a URL names, and waits until text and queries are there. */
  async open(url = '/applications/scadr/development'): Promise<void> {
    await this.page.goto(url)
    await this.waitUntilReady()
  }

  async reload(): Promise<void> {
    await this.page.reload()
    await this.waitUntilReady()
  }

  /** Opens a file by its entry in the sidebar. */
  async openFile(path: string): Promise<void> {
    await this.application.file(path.slice(path.lastIndexOf('/') + 1)).click()
    await this.editor.lines.first().waitFor()
  }

  async openDashboardPage(): Promise<void> {
    await this.page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Dashboard' }).click()
  }

  async openWorkbenchPage(): Promise<void> {
    await this.page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Workbench' }).click()
    await this.waitUntilReady()
  }

  async openPanel(title: PanelTitle): Promise<void> {
    await this.page.getByRole('tab', { name: new RegExp(`^${title}`) }).click()
  }

  async close(): Promise<void> {
    await this.page.close({ runBeforeUnload: true })
  }

  /** Saves now and waits for the answer, so that no late save disturbs the next journey. */
  async finishSaving(): Promise<void> {
    if (!(await this.saveState.isVisible())) return
    await this.page.keyboard.press('ControlOrMeta+S')
    await expect(this.saveState).toHaveText('Saved')
  }

  async dismissNotices(): Promise<void> {
    const dismiss = this.notices.getByRole('button', { name: 'Dismiss' })
    // A click fails on a notice that vanishes by itself; that is as good.
    while ((await dismiss.count()) > 0)
      await dismiss
        .first()
        .click({ timeout: 1000 })
        .catch(() => undefined)
  }

  /** Chooses the first command that the palette offers for some words. */
  async command(words: string): Promise<void> {
    await this.page.keyboard.press('F1')
    await this.palette.getByRole('combobox').fill(words)
    await this.page.keyboard.press('Enter')
  }

  private async waitUntilReady(): Promise<void> {
    await this.editor.lines.first().waitFor()
    await this.application.queries.first().waitFor()
  }
}
