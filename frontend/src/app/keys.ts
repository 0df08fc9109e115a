/**
 * The keyboard of the whole window. `SHORTCUTS` is what the sheet shows; `actionFor` is what happens. A key that Monaco
 * handles itself stands only in the list; any other needs an entry in both.
 */
import { useEffect, useState } from 'react'
import { saveChanged } from '../documents/saving'
import { focusFilter } from '../panels/application/filter'
import { editor } from './editor-bridge'
import { openBeside, openPanel, toggleFull } from './panel-view'
import { toggleProblems } from './problems-drawer'
import { focusNextRegion } from './regions'
import { requestRun } from './run-request'
import { currentView } from './url-state'

/** The dialog over the page that keys and commands open; null for none. */
export type Overlay = 'palette' | 'shortcuts' | 'notices' | null

export interface Shortcut {
  /** Alternatives; within one, the keys to hold together are separated by spaces. */
  keys: readonly string[]
  does: string
  group: 'Workbench' | 'Editor' | 'Plan, diagram and heatmap'
}

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)
export const MOD = isMac ? '⌘' : 'Ctrl'

export const SHORTCUTS: readonly Shortcut[] = [
  { group: 'Workbench', keys: ['F1', `${MOD} Shift P`], does: 'Command palette' },
  { group: 'Workbench', keys: [`${MOD} K`], does: 'Command palette, outside the editor' },
  { group: 'Workbench', keys: ['?'], does: 'This sheet' },
  { group: 'Workbench', keys: ['F6', 'Shift F6'], does: 'Next or previous region of the window' },
  {
    group: 'Workbench',
    keys: [`${MOD} Enter`],
    does: 'Run the query at the caret; one that writes shows its form first',
  },
  { group: 'Workbench', keys: [`${MOD} Shift Enter`], does: 'Explain the bound of the query at the caret' },
  { group: 'Workbench', keys: [`${MOD} S`], does: 'Save to the server' },
  { group: 'Workbench', keys: ['F4'], does: 'Filter files, queries and tables; arrow keys walk along them' },
  { group: 'Workbench', keys: ['F9'], does: 'Panels in full screen, and back' },
  { group: 'Workbench', keys: [`${MOD} \\`], does: 'Another panel beside; Shift Enter on a tab opens that one' },
  { group: 'Workbench', keys: [`${MOD} Shift M`], does: 'Show or close the problems' },
  { group: 'Editor', keys: [`${MOD} .`], does: 'Quick fix at the caret' },
  { group: 'Editor', keys: ['F8'], does: 'Next problem' },
  { group: 'Editor', keys: [`${MOD} ${isMac ? '⌥' : 'Alt'} M`], does: 'Comment on this line, or read its comments' },
  { group: 'Editor', keys: ['F12'], does: 'Go to the definition' },
  { group: 'Editor', keys: ['Shift F12'], does: 'Show all references' },
  { group: 'Editor', keys: ['F2'], does: 'Rename in all files' },
  { group: 'Editor', keys: [`${MOD} Shift O`], does: 'Go to a symbol of this file' },
  { group: 'Editor', keys: [isMac ? '⇧ ⌥ F' : 'Shift Alt F'], does: 'Format this file' },
  { group: 'Editor', keys: [`${MOD} Space`], does: 'Suggestions' },
  { group: 'Editor', keys: [`${MOD} Shift Space`], does: 'What the parentheses expect' },
  { group: 'Editor', keys: ['Escape'], does: 'Leave the editor' },
  { group: 'Editor', keys: [isMac ? 'Ctrl Shift M' : 'Ctrl M'], does: 'Tab moves the focus, or indents' },
  { group: 'Plan, diagram and heatmap', keys: ['←', '↑', '→', '↓'], does: 'Walk along nodes, tables or cells' },
  { group: 'Plan, diagram and heatmap', keys: ['Enter'], does: 'Show the source of a node or table · choose a cell' },
  { group: 'Plan, diagram and heatmap', keys: ['E'], does: 'Change a table of the diagram' },
  { group: 'Plan, diagram and heatmap', keys: ['C'], does: 'Comment on a node of the plan' },
  { group: 'Plan, diagram and heatmap', keys: ['+', '−', '0'], does: 'Zoom in, out, fit' },
]

/** Listens to the keyboard before the focused element does, and holds which dialog is open. */
export function useKeys(): { overlay: Overlay; setOverlay: (overlay: Overlay) => void } {
  const [overlay, setOverlay] = useState<Overlay>(null)
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const action = actionFor(event, setOverlay)
      if (!action) return
      event.preventDefault()
      event.stopPropagation()
      action()
    }
    window.addEventListener('keydown', onKeyDown, { capture: true })
    return () => window.removeEventListener('keydown', onKeyDown, { capture: true })
  }, [])
  return { overlay, setOverlay }
}

/** What a key does where the focus is; null leaves it to the focused element. */
function actionFor(event: KeyboardEvent, setOverlay: (overlay: Overlay) => void): (() => void) | null {
  const target = event.target instanceof Element ? event.target : null
  const isInDialog = Boolean(target?.closest('dialog'))
  const isInEditor = Boolean(target?.closest('.monaco-editor'))
  const isTyping = isInEditor || Boolean(target?.closest('input, textarea, select, [contenteditable="true"]'))
  const isMod = isMac ? event.metaKey : event.ctrlKey
  if (event.key === 'F1' || (isMod && event.shiftKey && event.code === 'KeyP')) return () => setOverlay('palette')
  if (isInDialog || event.altKey) return null
  if (isMod && event.code === 'KeyK' && !isInEditor && !event.shiftKey) return () => setOverlay('palette')
  if (event.key === '?' && !isTyping && !isMod) return () => setOverlay('shortcuts')
  if (event.key === 'F6') return () => focusNextRegion(event.shiftKey ? -1 : 1)
  if (currentView().page !== 'workbench') return null
  if (isMod && event.code === 'KeyS' && !event.shiftKey) return () => void saveChanged()
  if (event.key === 'F9') return toggleFull
  if (isMod && event.code === 'Backslash' && !event.shiftKey) return () => openBeside()
  if (event.key === 'F4' && !isMod) return focusFilter
  if (isMod && event.code === 'KeyM' && event.shiftKey) return toggleProblems
  if (isMod && event.key === 'Enter' && target?.closest('form[data-comment]')) return null
  if (isMod && event.key === 'Enter') return runOrExplain(event, target, isInEditor)
  if (event.key === 'F8' && !event.shiftKey && !isMod) return () => editor()?.nextProblem()
  return null
}

/** Mod+Enter runs, with Shift it explains. A key that is held down does not run the query again. */
function runOrExplain(event: KeyboardEvent, target: Element | null, isInEditor: boolean): () => void {
  if (event.shiftKey) return () => openPanel('bounds')
  if (event.repeat) return () => undefined
  const place = isInEditor ? 'editor' : target?.closest('form[data-run]') ? 'form' : 'elsewhere'
  return () => void requestRun(place)
}
