/** Whether the p99 of a query is independent of the load of its store, in sentences. */
import { formatCount, plural } from '../units'

export interface OverLoad {
  outcome: 'independent' | 'grows' | 'falls' | 'undecided' | 'too few' | 'even load'
  days: number
  days_needed: number
  ratio: number | null
  ratio_low: number | null
  ratio_high: number | null
  ratio_of_loads: number | null
  requests: number
  rows: number
}

export function overLoadText(over: OverLoad): string {
  const { outcome, days, days_needed: needed, ratio, ratio_low: low, ratio_high: high, ratio_of_loads: loads } = over
  if (outcome === 'too few')
    return `Whether its p99 depends on the load is not known yet: it was executed often enough on ${formatCount(days)} of the ${plural(needed, 'day')} that it takes.`
  if (outcome === 'even load')
    return 'Whether its p99 depends on the load cannot be seen: in all hours the load was nearly the same.'
  const busy = `With ${times(loads)} as many executions an hour, its p99 was ${times(ratio)} as long (95 %: ${times(low)} to ${times(high)})`
  switch (outcome) {
    case 'independent':
      return `Independent of the load. ${busy}.`
    case 'grows':
      return `It grows with the load. ${busy}.`
    case 'falls':
      return `It is shorter under load. ${busy}.`
    default:
      return `Undecided whether its p99 depends on the load. ${busy}.`
  }
}

function times(ratio: number | null): string {
  return ratio === null ? '–' : `${ratio.toLocaleString('en', { maximumFractionDigits: 2 })} times`
}
