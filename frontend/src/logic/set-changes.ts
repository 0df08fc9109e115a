/** How two states of a set of queries differ: which queries, and which bounds. */

interface Bounded {
  name: string
  text: string
  bound: { operations: number; formula: string } | null
}

export interface BoundChange {
  query: string
  /** Null where the query has no bound, or is not there. */
  before: { operations: number; formula: string } | null
  after: { operations: number; formula: string } | null
}

export interface SetChanges {
  added: string[]
  changed: string[]
  removed: string[]
  bounds: BoundChange[]
}

export function changesBetween(before: readonly Bounded[], after: readonly Bounded[]): SetChanges {
  const old = new Map(before.map((query) => [query.name, query]))
  const next = new Map(after.map((query) => [query.name, query]))
  const both = after.flatMap((query): [Bounded, Bounded][] => {
    const earlier = old.get(query.name)
    return earlier ? [[earlier, query]] : []
  })
  return {
    added: after.filter(({ name }) => !old.has(name)).map(({ name }) => name),
    removed: before.filter(({ name }) => !next.has(name)).map(({ name }) => name),
    changed: both.filter(([one, other]) => one.text !== other.text).map(([, { name }]) => name),
    bounds: both
      .filter(
        ([one, other]) =>
          one.bound?.operations !== other.bound?.operations || one.bound?.formula !== other.bound?.formula,
      )
      .map(([one, other]) => ({ query: other.name, before: one.bound, after: other.bound })),
  }
}
