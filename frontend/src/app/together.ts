/** Who edits the file in the editor together, as the live session tells it. Needs nothing of Yjs. */
import { replaceEqualDeep } from '@tanstack/react-query'
import { create } from 'zustand'
import type { Participant } from '../logic/together'
import { browserStorage } from './browser-storage'
import { notify } from './notices'

const CHOICE = 'piql:edit-together'

/** Whether this browser takes part in live sessions: as was chosen in it, or else where people sign in. */
export function takesPart(isTeam: boolean): boolean {
  const choice = browserStorage.getItem(CHOICE)
  return choice === 'on' || (isTeam && choice !== 'off')
}

/** Turns it on or off in this browser, from the next time that the page is loaded. */
export function switchTogether(isTeam: boolean): void {
  browserStorage.setItem(CHOICE, takesPart(isTeam) ? 'off' : 'on')
  const what = takesPart(isTeam) ? 'edit files together with others' : 'edit files by yourself'
  notify({ tone: 'success', text: `Reload the page to ${what}.` })
}

/**
 * `off`: not asked yet. `live`: edits merge as they are typed. `away`: the server does not answer, edits merge when it
 * does. `refused`: this page has no live session, and saves as if it was alone.
 */
export type TogetherState = 'off' | 'live' | 'away' | 'refused'

interface Together {
  path: string | null
  state: TogetherState
  mayWrite: boolean
  others: readonly Participant[]
  /** The tab that is followed. */
  following: string | null
}

export const useTogether = create<Together>(() => ({
  path: null,
  state: 'off',
  mayWrite: true,
  others: [],
  following: null,
}))

/** Says what is known of the session; whoever hears of it hears only of what is different. */
export function tellTogether(next: Partial<Together>): void {
  useTogether.setState((before) => replaceEqualDeep(before, { ...before, ...next }))
}

/** Follows somebody by their tab, or with null nobody. */
export function follow(tab: string | null): void {
  useTogether.setState({ following: tab })
}
