/** What the palette offers: panels, queries, files and the few actions that have no better place. */
import type { Compilation } from '../api/types'
import type { TextDocument } from '../documents/documents'
import { saveChanged } from '../documents/saving'
import { lensText } from '../logic/lens'
import { experimentsOf, guideOf, overviewOf } from '../logic/view'
import { focusFilter } from '../panels/application/filter'
import { copyProblems } from '../panels/problems/copy'
import { editor } from './editor-bridge'
import { exportTables } from './export-tables'
import { MOD, type Overlay } from './keys'
import { notify } from './notices'
import { goToPanel, openBeside, toggleFull } from './panel-view'
import { PANELS } from './panels'
import { toggleProblems } from './problems-drawer'
import { requestRun } from './run-request'
import { selectQuery } from './selection'
import { chooseTheme } from './theme'
import { commentOn } from './threads'
import { switchTogether, takesPart } from './together'
import { currentView, hrefTo, setView } from './url-state'

/** One entry of the palette. */
export interface Command {
  id: string
  group: 'Actions' | 'Queries' | 'Panels' | 'Files'
  title: string
  detail?: string
  /** The shortcut that does the same, as in `keys.ts`. */
  keys?: string
  run: () => void
}

/** All commands, in the order in which the palette shows them before anything is typed. */
export function commands(
  compilation: Compilation | null,
  files: readonly TextDocument[],
  show: (overlay: Overlay) => void,
  isTeam: boolean,
): Command[] {
  return [
    {
      id: 'run',
      group: 'Actions',
      title: 'Run the current query',
      keys: `${MOD} Enter`,
      run: () => void requestRun('elsewhere'),
    },
    {
      id: 'explain',
      group: 'Actions',
      title: 'Explain the bound',
      keys: `${MOD} Shift Enter`,
      run: () => goToPanel('bounds'),
    },
    { id: 'save', group: 'Actions', title: 'Save all files', keys: `${MOD} S`, run: () => void saveChanged() },
    { id: 'next-problem', group: 'Actions', title: 'Next problem', keys: 'F8', run: () => editor()?.nextProblem() },
    { id: 'filter', group: 'Actions', title: 'Filter files, queries and tables', keys: 'F4', run: focusFilter },
    { id: 'full', group: 'Actions', title: 'Panels in full screen, and back', keys: 'F9', run: toggleFull },
    { id: 'beside', group: 'Actions', title: 'Another panel beside', keys: `${MOD} \\`, run: () => openBeside() },
    {
      id: 'problems',
      group: 'Actions',
      title: 'Problems: show or close',
      keys: `${MOD} Shift M`,
      run: toggleProblems,
    },
    { id: 'copy-problems', group: 'Actions', title: 'Copy all problems as text', run: copyProblems },
    {
      id: 'quick-fix',
      group: 'Actions',
      title: 'Quick fix at the caret',
      keys: `${MOD} .`,
      run: () => editor()?.run('quick fix'),
    },
    {
      id: 'definition',
      group: 'Actions',
      title: 'Go to the definition',
      keys: 'F12',
      run: () => editor()?.run('definition'),
    },
    {
      id: 'references',
      group: 'Actions',
      title: 'Show all references',
      keys: 'Shift F12',
      run: () => editor()?.run('references'),
    },
    { id: 'rename', group: 'Actions', title: 'Rename in all files', keys: 'F2', run: () => editor()?.run('rename') },
    {
      id: 'outline',
      group: 'Actions',
      title: 'Go to a symbol of this file',
      keys: `${MOD} Shift O`,
      run: () => editor()?.run('outline'),
    },
    {
      id: 'format',
      group: 'Actions',
      title: 'Format this file',
      keys: 'Shift Alt F',
      run: () => editor()?.run('format'),
    },
    {
      id: 'comment',
      group: 'Actions',
      title: 'Comment on this line, or read its comments',
      keys: `${MOD} Alt M`,
      run: () => editor()?.comment(false),
    },
    {
      id: 'new-comment',
      group: 'Actions',
      title: 'New comment on this line',
      run: () => editor()?.comment(true),
    },
    {
      id: 'comment-bound',
      group: 'Actions',
      title: 'Comment on the bound',
      run: commentOnBound,
    },
    {
      id: 'dashboard-page',
      group: 'Actions',
      title: 'Open the dashboard page',
      run: () => setView({ page: 'dashboard' }),
    },
    {
      id: 'capacity-page',
      group: 'Actions',
      title: 'Open the page of capacity',
      run: () => setView({ page: 'capacity' }),
    },
    {
      id: 'requests-page',
      group: 'Actions',
      title: 'Open the page of deploy requests',
      run: () => setView({ page: 'requests', request: undefined }),
    },
    { id: 'alerts-page', group: 'Actions', title: 'Open the alerts page', run: () => setView({ page: 'alerts' }) },
    {
      id: 'together',
      group: 'Actions',
      title: takesPart(isTeam) ? 'Edit together: turn it off' : 'Edit together: turn it on',
      run: () => switchTogether(isTeam),
    },
    { id: 'export', group: 'Actions', title: 'Export the visible tables as CSV', run: exportTables },
    { id: 'shortcuts', group: 'Actions', title: 'Keyboard shortcuts', keys: '?', run: () => show('shortcuts') },
    { id: 'notices', group: 'Actions', title: 'Earlier notices', run: () => show('notices') },
    {
      id: 'overview-page',
      group: 'Actions',
      title: 'All applications: what is in danger',
      run: () => setView(overviewOf()),
    },
    {
      id: 'experiments-page',
      group: 'Actions',
      title: 'Experiments of the papers',
      run: () => setView(experimentsOf()),
    },
    { id: 'guide', group: 'Actions', title: 'Guide: tutorial, language, reference', run: openGuide },
    {
      id: 'tour',
      group: 'Actions',
      title: 'Tour of the workbench',
      run: () => setView({ page: 'workbench', tour: 1 }),
    },
    { id: 'codes', group: 'Actions', title: 'What the codes of problems mean', run: () => setView({ code: 'all' }) },
    { id: 'theme-light', group: 'Actions', title: 'Theme: light', run: () => chooseTheme('light') },
    { id: 'theme-dark', group: 'Actions', title: 'Theme: dark', run: () => chooseTheme('dark') },
    { id: 'theme-system', group: 'Actions', title: 'Theme: as the system', run: () => chooseTheme('system') },
    ...(compilation?.queries ?? []).map(
      (query): Command => ({
        id: `query:${query.name}`,
        group: 'Queries',
        title: query.name,
        detail: lensText(query),
        run: () => selectQuery(query.name, { isFocused: true }),
      }),
    ),
    ...PANELS.map(
      (panel): Command => ({
        id: `panel:${panel.id}`,
        group: 'Panels',
        title: panel.title,
        run: () => goToPanel(panel.id),
      }),
    ),
    ...files.map(
      (file): Command => ({
        id: `file:${file.path}`,
        group: 'Files',
        title: file.path,
        run: () => {
          setView({ page: 'workbench', file: file.path })
          requestAnimationFrame(() => editor()?.focus())
        },
      }),
    ),
  ]
}

function commentOnBound(): void {
  const { query } = currentView()
  if (query) commentOn({ kind: 'bound', query })
  else notify({ tone: 'info', text: 'Place the caret in a query first.' })
}

/** In a tab of its own: one reads it beside the work. */
function openGuide(): void {
  window.open(hrefTo(guideOf()), '_blank', 'noopener')
}

/** Commands whose title or group contains all typed words; those whose title begins with the first word come first. */
export function matching(all: readonly Command[], typed: string): Command[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  const rank = (command: Command) => (words[0] && command.title.toLowerCase().startsWith(words[0]) ? 0 : 1)
  return all
    .filter((command) => words.every((word) => `${command.title} ${command.group}`.toLowerCase().includes(word)))
    .toSorted((a, b) => (words.length > 0 ? rank(a) - rank(b) : 0))
}
