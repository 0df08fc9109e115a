import type { Locator, Page } from '@playwright/test'
import { Panel } from './Panel.ts'

/** The panel Plan: the stages of a query's plan, and the tree of the chosen stage. */
export class Plan extends Panel {
  readonly tree: Locator
  readonly nodes: Locator
  /** Nodes that are marked and named as unbounded. */
  readonly unboundedNodes: Locator
  /** The sentences that say what grows with what. */
  readonly findings: Locator
  readonly stages: Locator
  /** How the plan differs from the live one that stands beside it. */
  readonly difference: Locator

  constructor(page: Page) {
    super(page, 'Plan')
    this.tree = this.content.getByRole('tree', { name: /^Plan of/ })
    this.difference = this.content.getByRole('status', { name: 'Difference from the live plan' })
    this.nodes = this.tree.getByRole('treeitem')
    this.unboundedNodes = this.tree.getByRole('treeitem', { name: /\bunbounded\b/ })
    this.findings = this.content.getByRole('list', { name: 'Unbounded segments' }).getByRole('listitem')
    this.stages = this.content.getByRole('list', { name: 'Stages' }).getByRole('button')
  }

  node(operator: string): Locator {
    return this.tree.getByRole('treeitem', { name: new RegExp(`^${operator}\\b`) })
  }

  async showStage(name: string): Promise<void> {
    await this.stages.filter({ hasText: name }).first().click()
  }
}
