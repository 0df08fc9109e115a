/** What a record holds under a name that anybody may have chosen: `constructor` is no entry of an empty record. */
export function entryOf<T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined
}
