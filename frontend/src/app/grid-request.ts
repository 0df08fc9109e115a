/** “Profile with the missing point”: opens the profile panel with a grid of one's own that holds it. */
import { create } from 'zustand'
import { type MissingPoint, START, type TypedGrid, withPoint } from '../logic/own-grid'
import { openPanel } from './panel-view'

/** The grid of one's own as it is typed; null as long as a named one is chosen. It outlives the panel. */
export const useOwnGrid = create<{ typed: TypedGrid | null }>(() => ({ typed: null }))

export function requestGridWith(point: MissingPoint): void {
  useOwnGrid.setState(({ typed }) => ({ typed: withPoint(typed ?? START, point) }))
  openPanel('profile')
}
