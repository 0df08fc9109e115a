/** What is said of a query whose name an earlier one has: which one it is, and why it has no plan. */
import type { TextRange } from './shapes'

export interface RepeatedQuery {
  name: string
  name_range: TextRange
  first_name_range: TextRange
}

export function repeatedTitle({ name }: RepeatedQuery): string {
  return `Another query is called ${name}`
}

export function repeatedText({ name, name_range, first_name_range }: RepeatedQuery): string {
  return (
    `The caret is in the ${name} of ${placeOf(name_range)}. It has no plan and cannot run, ` +
    `because the name stands for the query of ${placeOf(first_name_range)}. Rename one of them.`
  )
}

function placeOf({ file, start_line }: TextRange): string {
  return `${file}, line ${start_line}`
}
