/** Mod+Enter: opens the run panel and asks it to run. */
import { create } from 'zustand'
import { openPanel } from './panel-view'

/** Counts the wishes to run; the panel follows each once. */
export const useRunRequest = create<{ count: number }>(() => ({ count: 0 }))

export function requestRun(): void {
  openPanel('run')
  useRunRequest.setState(({ count }) => ({ count: count + 1 }))
}
