/** An address may name a file that the application does not have. */

/**
 * What to tell a reader whose address names such a file, and what to do; null if there is it, or if it was there a
 * moment ago: then it was deleted or renamed, which the reader knows or has been told.
 */
export function missingFile(
  named: string | undefined,
  files: readonly string[],
  before: readonly string[],
): string | null {
  if (!named || files.length === 0 || files.includes(named) || before.includes(named)) return null
  return `There is no file ${named} in this application, so ${files[0]} is open. Choose another file on the left, or make ${named} there.`
}
