import type { LoadRun } from '../../api/types'
import type { Tone } from '../../ui/Badge'
import { formatDay, plural } from '../../units'

/** What a run is called: its label, or when it began. */
export function runTitle(run: LoadRun): string {
  return run.label ?? `Load run of ${formatDay(run.created_at)}`
}

/** What was asked of a run, in short. */
export function askedOf(run: LoadRun): string {
  const queries = run.queries.length === 1 ? run.queries[0]?.name : plural(run.queries.length, 'query', 'queries')
  const rate =
    run.rates === null
      ? `closed loop of ${plural(run.connections, 'connection')}`
      : `${run.rates.join(', ')} calls a second`
  return `${queries} · ${rate} · ${run.seconds_total} s${run.is_reported ? ' · by piql load-test' : ''}`
}

export const TONES: Readonly<Record<LoadRun['state'], Tone>> = {
  starting: 'info',
  running: 'info',
  cancelling: 'warning',
  cancelled: 'plain',
  stopped: 'warning',
  failed: 'danger',
  done: 'accent',
}
