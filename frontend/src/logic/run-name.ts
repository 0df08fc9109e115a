/** What a profile run is called: by its label, or by when it was started. */
import { formatDay } from '../units'

export function runName(run: { label: string | null; created_at: string }): string {
  return run.label ?? `Run of ${formatDay(run.created_at)}`
}
