import { limitText } from './limit-text'

interface Table {
  made_from: readonly string[]
  limits: readonly { limit: number; columns: readonly string[] }[]
  primary_key: readonly string[]
  stripes: number | null
}

/** What is said of a table at a glance: that it is a view of others, that a query is unbounded in it, its limits or key. */
export function tableLens(table: Table, isUnbounded: boolean): string[] {
  const { made_from: sources, limits, primary_key: key } = table
  const texts = sources.length > 0 ? [`view of ${sources.join(' and ')}`] : []
  if (table.stripes !== null && table.stripes > 1) texts.push(`${table.stripes} stripes`)
  if (isUnbounded) texts.push('unbounded')
  if (limits.length > 0) return [...texts, ...limits.map(limitText)]
  return isUnbounded ? texts : [...texts, `key ${key.join(', ')}`]
}
