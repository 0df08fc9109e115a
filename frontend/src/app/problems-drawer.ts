/**
 * Whether the drawer of problems is open (logic/drawer.ts). That it was closed by hand is kept in the browser.
 *
 * While somebody types, half a word is a problem and the next key mends it: the drawer opens and closes by itself only
 * when text and keys have rested for a moment, so that the editor keeps its height under the keys. A menu of the editor
 * would close at a change of its height, so the drawer waits for it, too.
 */
import { create } from 'zustand'
import { useCompilationState } from '../documents/compile-loop'
import { lastTyped } from '../documents/documents'
import { closed, type Drawer, emptied, isDrawerOpen, OPENED } from '../logic/drawer'
import { browserStorage } from './browser-storage'
import { editor } from './editor-bridge'
import { currentView, setView } from './url-state'

const KEY = 'piql:problems'
const CLOSED = 'closed'
/** The id of the drawer's element. */
export const DRAWER = 'problems'

/** Between the last key, or a menu, and what the drawer does by itself. */
const REST_MS = 800

const useDrawer = create<Drawer>(() => ({
  isClosedByHand: browserStorage.getItem(KEY) === CLOSED,
  isAskedFor: false,
}))

/** Whether there was anything to open the drawer for when the text last rested. */
const useProblemsAtRest = create(() => ({ hasAny: false }))
let untilRest: ReturnType<typeof setTimeout> | undefined
useCompilationState.subscribe(follow)

let pressedAt = Number.NEGATIVE_INFINITY
window.addEventListener('keydown', () => (pressedAt = performance.now()), { capture: true })

/** Whether a menu of the editor has the focus, such as that of fixes. */
function isMenuOpen(): boolean {
  return document.activeElement?.closest('.action-widget, .context-view') != null
}

function follow(): void {
  clearTimeout(untilRest)
  const hasAny = hasProblems(useCompilationState.getState())
  if (hasAny === useProblemsAtRest.getState().hasAny) return
  const restMs = isMenuOpen() ? REST_MS : Math.max(lastTyped(), pressedAt) + REST_MS - performance.now()
  if (restMs > 0) {
    untilRest = setTimeout(follow, restMs)
    return
  }
  useProblemsAtRest.setState({ hasAny })
  if (!hasAny) useDrawer.setState(emptied)
}

/** Whether there is anything that opens the drawer: errors, warnings, or a text that could not be compiled; no hints. */
function hasProblems({ compilation, error }: ReturnType<typeof useCompilationState.getState>): boolean {
  return error !== null || (compilation?.diagnostics.some(({ severity }) => severity !== 'info') ?? false)
}

export function useIsProblemsOpen(): boolean {
  const drawer = useDrawer()
  const { hasAny } = useProblemsAtRest()
  return isDrawerOpen(drawer, hasAny)
}

/** Opens the drawer with the focus in it, and leaves the dashboard page or full screen if need be. */
export function openProblems(): void {
  keep(OPENED)
  if (currentView().page !== 'workbench' || currentView().full) setView({ page: 'workbench', full: undefined })
  requestAnimationFrame(() => document.getElementById(DRAWER)?.focus())
}

/** Closes the drawer; the focus goes from there to the editor. */
export function closeProblems(): void {
  if (document.getElementById(DRAWER)?.contains(document.activeElement)) editor()?.focus()
  keep(closed(useDrawer.getState(), useProblemsAtRest.getState().hasAny))
}

/** Opens the drawer, or closes it if it is open. */
export function toggleProblems(): void {
  if (isDrawerOpen(useDrawer.getState(), useProblemsAtRest.getState().hasAny)) closeProblems()
  else openProblems()
}

function keep(drawer: Drawer): void {
  useDrawer.setState(drawer)
  if (drawer.isClosedByHand) browserStorage.setItem(KEY, CLOSED)
  else browserStorage.removeItem(KEY)
}
