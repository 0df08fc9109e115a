/**
 * The wish to run the current query, by Mod+Enter or the editor's button: opens the run panel, whose form answers it once.
 * It names its query, and is dropped as soon as another is the current one or the panel is left.
 */
import { create } from 'zustand'
import { currentCompilation } from '../documents/compile-loop'
import { notify } from './notices'
import { isOpen, openPanel } from './panel-view'
import { followCaret, isUnderCaret } from './selection'
import { currentView, onView } from './url-state'

export interface RunWish {
  query: string
  isUnderCaret: boolean
  isFromForm: boolean
}

export const useRunWish = create<{ wish: RunWish | null }>(() => ({ wish: null }))

/** Where the wish comes from: in the editor, the caret says which query is meant. */
export type RunPlace = 'editor' | 'form' | 'elsewhere'

export async function requestRun(place: RunPlace): Promise<void> {
  if (place !== 'form') await currentCompilation()
  if (place === 'editor') followCaret()
  const { query } = currentView()
  if (!query) {
    notify({ tone: 'info', text: 'There is no query to run: place the caret in one.' })
    return
  }
  openPanel('run')
  useRunWish.setState({ wish: { query, isUnderCaret: isUnderCaret(), isFromForm: place === 'form' } })
}

export function dropRunWish(): void {
  useRunWish.setState({ wish: null })
}

onView(() => {
  const { wish } = useRunWish.getState()
  if (wish && (wish.query !== currentView().query || !isOpen(currentView(), 'run'))) dropRunWish()
})
