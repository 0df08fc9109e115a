/**
 * What the header has room for beside the names of application and environment, which come first. The rest is in its
 * menu. Widths are those with a long title, the state of saving and the account of a team.
 */
import { useSyncExternalStore } from 'react'

const FOR_TOOLS = window.matchMedia('(min-width: 1221px)')
const FOR_SEARCH = window.matchMedia('(min-width: 1020px)')
const FOR_PAGES = window.matchMedia('(min-width: 780px)')

export interface HeaderRoom {
  tools: boolean
  search: boolean
  pages: boolean
}

export function useHeaderRoom(): HeaderRoom {
  return { tools: useMatches(FOR_TOOLS), search: useMatches(FOR_SEARCH), pages: useMatches(FOR_PAGES) }
}

function useMatches(query: MediaQueryList): boolean {
  return useSyncExternalStore(
    (listener) => {
      query.addEventListener('change', listener)
      return () => query.removeEventListener('change', listener)
    },
    () => query.matches,
  )
}
