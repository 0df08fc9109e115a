/** Which files differ between two states of an application; a file that one of them lacks is empty there. */
import type { FileChange } from './deploy-state'
import { comparePaths } from './drafts'

interface SavedFile {
  path: string
  text: string
}

export function changedFiles(older: readonly SavedFile[], later: readonly SavedFile[]): FileChange[] {
  const before = new Map(older.map(({ path, text }) => [path, text]))
  const after = new Map(later.map(({ path, text }) => [path, text]))
  return [...new Set([...before.keys(), ...after.keys()])]
    .toSorted(comparePaths)
    .map((path) => ({ path, before: before.get(path) ?? '', after: after.get(path) ?? '' }))
    .filter((file) => file.before !== file.after || before.has(file.path) !== after.has(file.path))
}
