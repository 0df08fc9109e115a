/** Limits in a few words. */

import { formatCount } from '../units'

/** `≤ 100 per owner`; a limit without columns is one of the whole table: `≤ 40 rows`. */
export function limitText({ limit, columns }: { limit: number; columns: readonly string[] }): string {
  return columns.length > 0 ? `≤ ${formatCount(limit)} per ${columns.join(', ')}` : `≤ ${formatCount(limit)} rows`
}
