/** The stops of the tour: the part of the window that each is about, the panel that it opens, and what it says. */
import type { PanelId } from '../../logic/view'

export interface TourStep {
  /** Finds the part of the window that is marked. */
  selector: string
  panel?: PanelId
  title: string
  text: string
}

const region = (name: string) => `[data-region="${name}"]`

export const TOUR: readonly TourStep[] = [
  {
    selector: 'nav[aria-label="Steps"]',
    title: 'Five steps, and what comes next',
    text: 'Write a query, predict its latency, deploy it, run it, and compare. The sign at each step says how far it is; the sentence on the right says what matters now.',
  },
  {
    selector: region('Application'),
    title: 'Files, queries, tables',
    text: 'Each query shows the most requests it can ever make. F4 filters all three lists, and queries can be grouped by file, class or cost.',
  },
  {
    selector: region('Editor'),
    title: 'Write',
    text: 'The bound stands above the query while you type. A query that would grow with the data is marked here, in its plan and on its table, with fixes that were compiled before they are offered. Everything is saved as you type.',
  },
  {
    selector: region('Panels'),
    panel: 'bounds',
    title: 'Why the bound holds',
    text: 'Each number leads to the line of the schema that proves it. The tabs show the plan, the diagram of the schema and more. F9 spreads them over the window, and Ctrl \\ puts another one beside.',
  },
  {
    selector: region('Panels'),
    panel: 'heatmap',
    title: 'Predict',
    text: 'Once the store is measured, a map shows the 99th percentile for any choice of limits, and where the promised latency ends. Drag over it, and the largest limits that keep the promise can be written into the text.',
  },
  {
    selector: region('Panels'),
    panel: 'deploy',
    title: 'Deploy',
    text: 'First you see what changes: queries, bounds, tables, indexes. Only bounded queries go live, and an earlier version can come back.',
  },
  {
    selector: region('Panels'),
    panel: 'dashboard',
    title: 'Run and compare',
    text: 'Every execution counts its requests against its bound. Here the observed latency stands beside the predicted one, and how often the promise was kept. The guide, in the header, has the tutorial.',
  },
]
