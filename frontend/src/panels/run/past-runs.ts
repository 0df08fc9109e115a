/** The runs of the open application, read again whenever one is kept or cleared, also in another tab. */
import { useMemo, useSyncExternalStore } from 'react'
import { create } from 'zustand'
import { browserStorage } from '../../app/browser-storage'
import { useView } from '../../app/url-state'
import { clearRuns, keepRun, keyOfRuns, type PastRun, parseRuns } from '../../logic/run-history'

const listeners = new Set<() => void>()

window.addEventListener('storage', tell) // another tab has kept or cleared one

/** How the list of runs is shown; the same for all queries. */
export const useRunList = create<{ isOpen: boolean; isOfQueryOnly: boolean }>(() => ({
  isOpen: false,
  isOfQueryOnly: false,
}))

/** The runs of the open application, the newest first. */
export function usePastRuns(): readonly PastRun[] {
  const { application } = useView()
  const text = useSyncExternalStore(subscribe, () => browserStorage.getItem(keyOfRuns(application)))
  return useMemo(() => parseRuns(text), [text])
}

export function keepPastRun(application: string, run: PastRun): void {
  keepRun(browserStorage, application, run)
  tell()
}

export function clearPastRuns(application: string): void {
  clearRuns(browserStorage, application)
  tell()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function tell(): void {
  for (const listener of listeners) listener()
}
