/**
 * Requests to run the current query, by Mod+Enter, the editor's button or the palette. A request (`RunWish`) opens the
 * panel Run, whose form answers it once: it runs the query or shows what would run (`answerToKey` in
 * logic/current-query.ts). The wish is dropped as soon as another query is the current one or the panel is left.
 */
import { create } from 'zustand'
import { currentCompilation } from '../documents/compile-loop'
import { notify } from './notices'
import { isOpen, openPanel } from './panel-view'
import { followCaret, isUnderCaret, repeatedQuery } from './selection'
import { currentView, onView } from './url-state'

export interface RunWish {
  query: string
  /** Whether the caret was in the query. */
  isUnderCaret: boolean
  /** Whether it came from the query's form in the panel Run. */
  isFromForm: boolean
}

export const useRunWish = create<{ wish: RunWish | null }>(() => ({ wish: null }))

/** Where a request comes from. In the editor, the query under the caret becomes the current one first. */
export type RunPlace = 'editor' | 'form' | 'elsewhere'

/** Opens the panel Run with a wish for the current query; says so in a notice if there is no query. */
export async function requestRun(place: RunPlace): Promise<void> {
  if (place !== 'form') await currentCompilation()
  if (place === 'editor') followCaret()
  const { query } = currentView()
  if (!query && repeatedQuery()) {
    openPanel('run') // it says why nothing runs
    return
  }
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
