/** The parts of the API's answers that the modules of logic/ read; the generated types fit them structurally. */

/** A range of one file: lines and UTF-16 columns from 1, the end exclusive. */
export interface TextRange {
  file: string
  start_line: number
  start_column: number
  end_line: number
  end_column: number
}

export interface TextEdit {
  range: TextRange
  text: string
}

export interface PlanNode {
  id: string
  operator: string
  detail: string
  range?: TextRange | null
  kind: string
  is_unbounded: boolean
  operations?: number | null
  rows?: number | null
  bytes?: number | null
  formula?: string | null
  children: readonly PlanNode[]
}

/** The caret in a file; line and column from 1. */
export interface Caret {
  file: string
  line: number
  column: number
}
