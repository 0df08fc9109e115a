/**
 * Which panels are in sight, from the view in the URL: at the side of a wide window, below the editor of a narrow one, or
 * over everything in full screen.
 */
import { useSyncExternalStore } from 'react'
import { nextPanel, roomFor, shownPanels, viewOfPanels, withOther, withPanel } from '../logic/shown-panels'
import type { PanelId, View } from '../logic/view'
import { regionElement } from './regions'
import { currentView, setView, useView } from './url-state'

/**
 * Below this width the panels move below the editor. Where that leaves no room for both, because the window is narrow or,
 * as at 200 %, also low, everything stands in one column.
 */
const WIDE = window.matchMedia('(min-width: 1180px)')
const COLUMNS = window.matchMedia('(min-width: 700px) and (min-height: 560px)')

export type Layout = 'wide' | 'narrow' | 'stacked'

export function useLayout(): Layout {
  useWindow()
  return layout()
}

/** The panels in sight, from left to right, and whether there is room for one more. */
export function useShownPanels(): { shown: readonly PanelId[]; hasRoom: boolean } {
  useWindow()
  const view = useView()
  const shown = shownPanels(view, room(view))
  return { shown, hasRoom: shown.length < room(view) }
}

/**
 * Shows a panel in the first place, unless it is in sight already, and leaves the dashboard page if need be. Where the
 * page scrolls, it scrolls there.
 */
export function openPanel(id: PanelId): void {
  const shown = inSight()
  setView({ page: 'workbench', ...(shown.includes(id) ? {} : viewOfPanels([id, ...shown.slice(1)])) })
  if (layout() === 'stacked') requestAnimationFrame(() => regionElement('Panels')?.scrollIntoView({ block: 'nearest' }))
}

/** Shows a panel and moves the keyboard's place to its tab, from which Tab goes on into the panel. */
export function goToPanel(id: PanelId): void {
  openPanel(id)
  requestAnimationFrame(() => document.getElementById(`tab-${id}`)?.focus())
}

/** In one column a panel lies below sidebar and editor: where the address names one, the page begins there. */
export function showNamedPanel(): void {
  if (layout() === 'stacked' && currentView().panel) regionElement('Panels')?.scrollIntoView()
}

/** Shows a panel beside those in sight; without an id the next one in the order of the tabs. */
export function openBeside(id = nextPanel(inSight())): void {
  if (id) setView({ page: 'workbench', ...viewOfPanels(withPanel(inSight(), id, room(currentView()))) })
}

/** Shows another panel in the place of one. */
export function changePanel(id: PanelId, other: PanelId): void {
  setView(viewOfPanels(withOther(inSight(), id, other)))
}

export function closePanel(id: PanelId): void {
  setView(viewOfPanels(inSight().filter((panel) => panel !== id)))
}

/** Spreads the panels over sidebar and editor, or leaves that. */
export function toggleFull(): void {
  const isFull = currentView().full === true
  setView({ page: 'workbench', full: isFull ? undefined : true })
  if (!isFull) requestAnimationFrame(() => regionElement('Panels')?.focus())
}

/** Whether a panel is in sight. */
export function isOpen(view: View, id: PanelId): boolean {
  return shownPanels(view, room(view)).includes(id)
}

function inSight(): readonly PanelId[] {
  return shownPanels(currentView(), room(currentView()))
}

function room({ full }: View): number {
  return roomFor(window.innerWidth, full ? 'full' : layout() === 'wide' ? 'side' : 'below')
}

function layout(): Layout {
  return WIDE.matches ? 'wide' : COLUMNS.matches ? 'narrow' : 'stacked'
}

/** Draws again whenever the window's width or the layout changes. */
function useWindow(): void {
  useSyncExternalStore(
    (listener) => {
      window.addEventListener('resize', listener)
      return () => window.removeEventListener('resize', listener)
    },
    () => `${layout()} ${window.innerWidth}`,
  )
}
