/** The answer about capacity, as far as what it says and how it is drawn depend on it. */

/** An estimate at its 5, 50 and 95 % points; null where it is without end. */
export interface Answer {
  low: number | null
  mid: number | null
  high: number | null
}

export interface Binding {
  kind: 'query' | 'nodes' | 'data'
  query: string | null
}

export interface CapacityAnswer {
  is_one_node: boolean
  nodes: number
  cores: number
  demands: string
  queries: readonly {
    query: string
    quantile: number
    slo_ms: number | null
    breaks_at_users: Answer | null
  }[]
  unbounded: readonly { query: string; slo_ms: number | null; breaks_at_users: number | null }[]
  growth: Answer
  firsts: readonly { binding: Binding; share_of_draws: number; is_slow_alone: boolean }[]
  users_taken: Answer | null
  is_full_of_data: boolean
  by_users: readonly { users: number; latency_ms: readonly Answer[]; unbounded_ms: readonly number[] }[]
}
