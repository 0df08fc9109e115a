/**
 * Which panels are in sight, computed from the view in the URL. A wide window has one panel at the side and one below the
 * editor; a narrow one has a single panel below the editor.
 */
import { useSyncExternalStore } from 'react'
import type { PanelId, View } from '../logic/view'
import { setView } from './url-state'

/** Below this width the side's panels move to the bottom. */
const WIDE = window.matchMedia('(min-width: 1180px)')

/** The panels whose home is below the editor; the rest live at the side. */
const BOTTOM: readonly PanelId[] = ['problems']

export function useIsWide(): boolean {
  return useSyncExternalStore(
    (listener) => {
      WIDE.addEventListener('change', listener)
      return () => WIDE.removeEventListener('change', listener)
    },
    () => WIDE.matches,
  )
}

/** Shows a panel, and leaves the dashboard page if need be. */
export function openPanel(id: PanelId): void {
  setView(panelChange(id))
}

/** The change of the view that shows a panel. */
export function panelChange(id: PanelId): Partial<View> {
  if (!BOTTOM.includes(id)) return { page: 'workbench', panel: id }
  return WIDE.matches ? { page: 'workbench', bottom: id } : { page: 'workbench', bottom: id, panel: id }
}

/** The panel at the side of a wide window. */
export function sidePanel(view: View): PanelId {
  return view.panel && !BOTTOM.includes(view.panel) ? view.panel : 'plan'
}

/** The panel below the editor of a wide window. */
export function bottomPanel(view: View): PanelId {
  return view.bottom ?? (view.panel && BOTTOM.includes(view.panel) ? view.panel : 'problems')
}

/** The only panel of a narrow window. */
export function onlyPanel(view: View): PanelId {
  return view.panel ?? view.bottom ?? 'plan'
}

/** Whether a panel is in sight. */
export function isOpen(view: View, id: PanelId): boolean {
  return WIDE.matches ? sidePanel(view) === id || bottomPanel(view) === id : onlyPanel(view) === id
}
