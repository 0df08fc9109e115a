/** The parts of the API's answers that the pure modules read; the generated types fit them structurally. */

/** A stretch of one file: 1-based lines and UTF-16 columns, the end exclusive. */
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
  formula?: string | null
  children: readonly PlanNode[]
}

/** Where a caret stands in a file. */
export interface Caret {
  file: string
  line: number
  column: number
}
