/** Writes values of limits, which were found in a heatmap, into the text. */
import type { Edit } from '../../api/types'
import { reveal } from '../../app/editor-bridge'
import { notify } from '../../app/notices'
import { currentCompilation } from '../../documents/compile-loop'
import { applyTextEdits } from '../../documents/documents'

export interface LimitChange {
  /** A query that has the limit; a limit of the schema is the same in all its queries. */
  query: string
  symbol: string
  label: string
  current: number
  value: number
}

/** Replaces the numbers in the present text, as an edit that can be undone, and says so. */
export async function writeLimits(changes: readonly LimitChange[]): Promise<void> {
  const compilation = await currentCompilation()
  const edits = changes.flatMap(({ query, symbol, value }): Edit[] => {
    const axes = compilation?.queries.find((compiled) => compiled.name === query)?.axes ?? []
    const ranges = axes.find((axis) => axis.symbol === symbol)?.number_ranges ?? []
    return ranges.map((range) => ({ range, text: String(value) }))
  })
  const first = edits[0]
  if (!first) {
    notify({ tone: 'danger', text: 'The text has changed and the limit is no longer there.' })
    return
  }
  applyTextEdits(edits)
  reveal({ ...first.range, end_column: first.range.start_column + first.text.length })
  notify({
    tone: 'success',
    text: changes.map(({ label, value, current }) => `${label} is now ${value}, it was ${current}.`).join(' '),
  })
}
