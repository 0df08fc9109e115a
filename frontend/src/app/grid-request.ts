/** The button “Profile with the missing point”: opens the panel Profile with a custom grid that contains the point. */
import { create } from 'zustand'
import { type MissingPoint, START, type TypedGrid, withPoint } from '../logic/own-grid'
import { openPanel } from './panel-view'

/** The user's own grid as it is typed; null while a named grid is chosen. It is kept when the panel is closed. */
export const useOwnGrid = create<{ typed: TypedGrid | null }>(() => ({ typed: null }))

/** Adds a point to the user's own grid and opens the panel Profile. */
export function requestGridWith(point: MissingPoint): void {
  useOwnGrid.setState(({ typed }) => ({ typed: withPoint(typed ?? START, point) }))
  openPanel('profile')
}
