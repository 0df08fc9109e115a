import type { FileImport } from '../../api/types'
import { formatCount, plural } from '../../units'

/** The sentence for each state of an import; null if there is nothing to say. */
export function importOutcome(data: FileImport): string | null {
  const loaded =
    data.rows_in > 0
      ? `${plural(data.rows_in, 'row')} loaded, up to line ${formatCount(data.line_in)}.`
      : 'No row is loaded.'
  const partly =
    data.partly_from !== null && data.partly_to !== null
      ? ` Some of the lines ${formatCount(data.partly_from)} to ${formatCount(data.partly_to)} may be loaded; loading them again changes nothing.`
      : ''
  switch (data.state) {
    case 'ready':
      return data.rows_total === null ? null : `${plural(data.rows_total, 'row')} to load.`
    case 'checking':
    case 'loading':
      return `${formatCount(data.rows_done)} rows ${data.state === 'loading' ? 'loaded' : 'checked'}…`
    case 'checked':
      return `${wrongLines(data)}${plural(data.rows_done, 'row')} checked, nothing written: ${formatCount(data.new)} new, ${formatCount(data.changed)} replace a row with the same key, ${formatCount(data.unchanged)} unchanged.`
    case 'loaded':
      return `${plural(data.rows_in, 'row')} loaded${data.skipped > 0 ? `, ${formatCount(data.skipped)} of them before` : ''}.`
    case 'stopped':
      return `Stopped. ${loaded}${partly}`
    case 'refused':
      return `${data.message ?? 'Rows are refused.'} ${loaded}${partly}`
    case 'failed':
      return data.message
    case 'uploading':
      return null
  }
}

/** How many lines have faults, with a blank behind; empty if none has. */
function wrongLines({ problems, is_more: isMore }: FileImport): string {
  if (problems.length === 0) return ''
  const lines = new Set(problems.map(({ line }) => line)).size
  if (problems.some(({ line }) => line === null)) return 'The file has faults. '
  return `${isMore ? 'At least ' : ''}${plural(lines, 'line')} ${lines === 1 ? 'is' : 'are'} wrong. `
}
