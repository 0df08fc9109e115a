/**
 * The entry of a record under a name that a user chose. Unlike `record[name]`, it finds no `constructor` in an empty
 * record.
 */
export function entryOf<T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined
}
