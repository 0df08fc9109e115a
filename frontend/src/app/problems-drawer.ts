/** Whether the drawer of problems is open (logic/drawer.ts). That it was closed by hand is kept in the browser. */
import { useEffect } from 'react'
import { create } from 'zustand'
import { useCompilationState } from '../documents/compile-loop'
import { closed, type Drawer, emptied, isDrawerOpen, OPENED } from '../logic/drawer'
import { browserStorage } from './browser-storage'
import { editor } from './editor-bridge'
import { currentView, setView } from './url-state'

const KEY = 'piql:problems'
const CLOSED = 'closed'
/** The id of the drawer's element. */
export const DRAWER = 'problems'

const useDrawer = create<Drawer>(() => ({
  isClosedByHand: browserStorage.getItem(KEY) === CLOSED,
  isAskedFor: false,
}))

/** Whether there is anything that opens the drawer: errors, warnings, or a text that could not be compiled; no hints. */
function hasProblems({ compilation, error }: ReturnType<typeof useCompilationState.getState>): boolean {
  return error !== null || (compilation?.diagnostics.some(({ severity }) => severity !== 'info') ?? false)
}

export function useIsProblemsOpen(): boolean {
  const drawer = useDrawer()
  const hasAny = useCompilationState(hasProblems)
  useEffect(() => {
    if (!hasAny) useDrawer.setState(emptied)
  }, [hasAny])
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
  keep(closed(useDrawer.getState(), hasProblems(useCompilationState.getState())))
}

/** Opens the drawer, or closes it if it is open. */
export function toggleProblems(): void {
  if (isDrawerOpen(useDrawer.getState(), hasProblems(useCompilationState.getState()))) closeProblems()
  else openProblems()
}

function keep(drawer: Drawer): void {
  useDrawer.setState(drawer)
  if (drawer.isClosedByHand) browserStorage.setItem(KEY, CLOSED)
  else browserStorage.removeItem(KEY)
}
