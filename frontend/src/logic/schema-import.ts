/** Texts of the dialog that imports a schema: the summary, the suggested path, and the decoded input file. */
import { plural } from '../units'

interface Imported {
  tables: readonly string[]
  queries: readonly string[]
  statements: number
  taken: number
}

/** One sentence: `MySQL: 1 table and 1 query from 2 of 3 statements; the list says why 1 is left out.` */
export function importSummary(imported: Imported, dialect: string): string {
  const parts = [plural(imported.tables.length, 'table')]
  if (imported.queries.length > 0) parts.push(plural(imported.queries.length, 'query', 'queries'))
  const leftOut = imported.statements - imported.taken
  const statements = `${imported.taken} of ${plural(imported.statements, 'statement')}`
  const rest = leftOut > 0 ? `; the list says why ${leftOut} ${leftOut === 1 ? 'is' : 'are'} left out` : ''
  return `${dialect}: ${parts.join(' and ')} from ${statements}${rest}.`
}

/** The path, or, if a file has it already, the path with a number: `a.piql`, `a-2.piql` … Case does not count. */
export function freePath(path: string, taken: readonly string[]): string {
  const lower = new Set(taken.map((takenPath) => takenPath.toLowerCase()))
  const stem = path.replace(/\.piql$/, '')
  let free = path
  for (let number = 2; lower.has(free.toLowerCase()); number += 1) free = `${stem}-${number}.piql`
  return free
}

/**
 * The text of a file in UTF-8, or in UTF-16 with a byte order mark, as SQL Server writes scripts. Throws for other
 * bytes.
 */
export function decoded(bytes: ArrayBuffer): string {
  const [first, second] = new Uint8Array(bytes, 0, Math.min(2, bytes.byteLength))
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    throw new Error('This file is not text: unpack it, or write the dump as plain SQL.')
  }
}
