/** What the dialog of an imported schema says and suggests. */
import { plural } from '../units'

interface Imported {
  tables: readonly string[]
  queries: readonly string[]
  statements: number
  taken: number
}

/** What the input has become, in one sentence. */
export function importSummary(imported: Imported, dialect: string): string {
  const parts = [plural(imported.tables.length, 'table')]
  if (imported.queries.length > 0) parts.push(plural(imported.queries.length, 'query', 'queries'))
  const leftOut = imported.statements - imported.taken
  const statements = `${imported.taken} of ${plural(imported.statements, 'statement')}`
  const rest = leftOut > 0 ? `; the list says why ${leftOut} ${leftOut === 1 ? 'is' : 'are'} left out` : ''
  return `${dialect}: ${parts.join(' and ')} from ${statements}${rest}.`
}

/** The path, with a number behind its name where a file has it. */
export function freePath(path: string, taken: readonly string[]): string {
  const lower = new Set(taken.map((other) => other.toLowerCase()))
  const stem = path.replace(/\.piql$/, '')
  let free = path
  for (let number = 2; lower.has(free.toLowerCase()); number += 1) free = `${stem}-${number}.piql`
  return free
}

/** The text of a file in UTF-8, or in UTF-16 with the mark that SQL Server's scripts have. */
export function decoded(bytes: ArrayBuffer): string {
  const [first, second] = new Uint8Array(bytes, 0, Math.min(2, bytes.byteLength))
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    throw new Error('This file is no text: unpack it, or write the dump as plain SQL.')
  }
}
