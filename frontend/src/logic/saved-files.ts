/** Which files differ between two saves of an application. */
import type { FileChange } from './deploy-state'
import { comparePaths } from './drafts'

interface SavedFile {
  path: string
  text: string
}

/**
 * The files whose text differs or that only one save has, in the order of the sidebar; a missing file has an empty
 * text.
 */
export function changedFiles(older: readonly SavedFile[], later: readonly SavedFile[]): FileChange[] {
  const before = new Map(older.map(({ path, text }) => [path, text]))
  const after = new Map(later.map(({ path, text }) => [path, text]))
  return [...new Set([...before.keys(), ...after.keys()])]
    .toSorted(comparePaths)
    .map((path) => ({ path, before: before.get(path) ?? '', after: after.get(path) ?? '' }))
    .filter((file) => file.before !== file.after || before.has(file.path) !== after.has(file.path))
}
