/** In which order problems are listed: what matters most comes first. */
const ORDER = { error: 0, warning: 1, info: 2 }

interface Problem {
  severity: keyof typeof ORDER
  query: string | null
}

interface Bounded {
  name: string
  bound: { operations: number } | null
}

/** Errors, then warnings, then hints; of each, those of the queries that may make the most requests first. */
export function gravestFirst<P extends Problem>(problems: readonly P[], queries: readonly Bounded[]): P[] {
  const requests = new Map(queries.map((query) => [query.name, query.bound?.operations ?? 0]))
  const cost = ({ query }: P) => requests.get(query ?? '') ?? 0
  return problems.toSorted((a, b) => ORDER[a.severity] - ORDER[b.severity] || cost(b) - cost(a))
}
