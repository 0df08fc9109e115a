/** Which panels stand side by side. The first is the panel of the view, the others are `beside` it. */
import { PANEL_IDS, type PanelId, type View } from './view'

const MOST_PANELS = 3
/** What a panel needs in pixels, and what sidebar and editor keep beside the panels at the side. */
const PANEL_WIDTH = 360
const SIDEBAR_WIDTH = 252
const EDITOR_WIDTH = 400

/** How many panels there is room for: in full screen, at the side of a wide window, or below the editor of a narrow one. */
export function roomFor(windowWidth: number, place: 'full' | 'side' | 'below'): number {
  const taken = { full: 0, side: SIDEBAR_WIDTH + EDITOR_WIDTH, below: SIDEBAR_WIDTH }[place]
  return Math.min(MOST_PANELS, Math.max(1, Math.floor((windowWidth - taken) / PANEL_WIDTH)))
}

/** The width that some panels side by side need. */
export function widthOf(count: number): number {
  return count * PANEL_WIDTH
}

/** The panels of a view from left to right, as many as there is room for. */
export function shownPanels({ panel = 'plan', beside = [] }: Pick<View, 'panel' | 'beside'>, room: number): PanelId[] {
  return [...new Set([panel, ...beside])].slice(0, room)
}

/** Panels with one more at the right; without room it takes the place of the last one. The first stays where it is. */
export function withPanel(shown: readonly PanelId[], id: PanelId, room: number): PanelId[] {
  if (shown.includes(id)) return [...shown]
  return [...shown.slice(0, Math.max(1, room - 1)), id]
}

/** Panels with another one in the place of one; if it is shown already, the two change places. */
export function withOther(shown: readonly PanelId[], id: PanelId, other: PanelId): PanelId[] {
  return shown.map((panel) => (panel === id ? other : panel === other ? id : panel))
}

/** The first panel, in the order of the tabs, that is not shown. */
export function nextPanel(shown: readonly PanelId[]): PanelId | undefined {
  return PANEL_IDS.find((id) => !shown.includes(id))
}

/** The change of the view that shows some panels. */
export function viewOfPanels([panel, ...beside]: readonly PanelId[]): Pick<View, 'panel' | 'beside'> {
  return { panel, beside: beside.length > 0 ? beside : undefined }
}
