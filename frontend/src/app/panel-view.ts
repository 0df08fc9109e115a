/** Which panels are in sight, and how one comes into it. */
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

export function openPanel(id: PanelId): void {
  setView(panelChange(id))
}

export function panelChange(id: PanelId): Partial<View> {
  if (!BOTTOM.includes(id)) return { page: 'workbench', panel: id }
  return WIDE.matches ? { page: 'workbench', bottom: id } : { page: 'workbench', bottom: id, panel: id }
}

export function sidePanel(view: View): PanelId {
  return view.panel && !BOTTOM.includes(view.panel) ? view.panel : 'plan'
}

export function bottomPanel(view: View): PanelId {
  return view.bottom ?? (view.panel && BOTTOM.includes(view.panel) ? view.panel : 'problems')
}

/** The only panel of a narrow window. */
export function onlyPanel(view: View): PanelId {
  return view.panel ?? view.bottom ?? 'plan'
}

export function isOpen(view: View, id: PanelId): boolean {
  return WIDE.matches ? sidePanel(view) === id || bottomPanel(view) === id : onlyPanel(view) === id
}
