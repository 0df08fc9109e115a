/** The sizes of panels in the browser's storage; an entry that does not hold sizes is ignored. */
import type { DraftStorage } from './drafts'

type LayoutStorage = Pick<DraftStorage, 'getItem' | 'setItem'>

/** A storage that returns only what the panels have written: a JSON object with a percentage for each panel. */
export function layoutStorage(storage: LayoutStorage): LayoutStorage {
  return {
    getItem: (key) => {
      const text = storage.getItem(key)
      return text !== null && isLayout(text) ? text : null
    },
    setItem: (key, value) => storage.setItem(key, value),
  }
}

function isLayout(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject && Object.values(value).every((share) => typeof share === 'number' && share >= 0 && share <= 100)
  } catch {
    return false
  }
}
