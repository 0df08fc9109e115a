/** The name of a profile run: its label, or else when it was started. */
import { formatTimestamp } from '../units'

export function runName(run: { label: string | null; created_at: string }): string {
  return run.label ?? `Run of ${formatTimestamp(run.created_at)}`
}
