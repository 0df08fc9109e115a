/** The browser's storage for things that may get lost: if it is disabled or full, nothing is kept and nothing breaks. */
import type { DraftStorage } from '../logic/drafts'

export const browserStorage: DraftStorage = {
  getItem: (key) => attempt(() => localStorage.getItem(key)) ?? null,
  setItem: (key, value) => void attempt(() => localStorage.setItem(key, value)),
  removeItem: (key) => void attempt(() => localStorage.removeItem(key)),
  keys: () => attempt(() => Object.keys(localStorage)) ?? [],
}

function attempt<T>(action: () => T): T | undefined {
  try {
    return action()
  } catch {
    return undefined
  }
}
