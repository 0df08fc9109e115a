/** The colour and the words for each verdict of logic/latency-comparison.ts. */
import type { QueryLatency } from '../../api/types'
import { type ComplianceAgreement, countedShare } from '../../logic/compliance'
import type { Verdict } from '../../logic/latency-comparison'
import type { Tone } from '../../ui/Badge'
import { formatCount, formatDay, formatDuration, formatPercent, plural } from '../../units'

export const TONES: Readonly<Record<Verdict, Tone>> = {
  'over-bound': 'danger',
  'limit-passed': 'danger',
  'dangling-entry': 'danger',
  failing: 'danger',
  burning: 'danger',
  'slo-broken': 'danger',
  slower: 'warning',
  faster: 'info',
  agrees: 'accent',
  undecided: 'plain',
  'too few': 'plain',
  'other-sizes': 'plain',
  'not-predicted': 'plain',
  'no-data': 'plain',
}

export const WORDS: Readonly<Record<Verdict, string>> = {
  'over-bound': 'over its bound',
  'limit-passed': 'limit passed',
  'dangling-entry': 'entry without record',
  failing: 'failing',
  burning: 'burning its budget',
  'slo-broken': 'SLO broken',
  slower: 'slower than predicted',
  faster: 'faster than predicted',
  agrees: 'as predicted',
  undecided: 'undecided',
  'too few': 'too few executions',
  'other-sizes': 'other sizes',
  'not-predicted': 'not predicted',
  'no-data': 'not executed',
}

/** The colour for each verdict of logic/compliance.ts. */
export const COMPLIANCE_TONES: Readonly<Record<ComplianceAgreement['outcome'], Tone>> = {
  worse: 'warning',
  better: 'info',
  agrees: 'accent',
  undecided: 'plain',
  'too few': 'plain',
}

/** How well a query keeps its SLO, in a few words. */
export function complianceText({ compliance, slo }: QueryLatency): string {
  if (!slo) return 'no SLO'
  if (!compliance || compliance.share === null) return 'too few to judge'
  return `SLO kept in ${formatPercent(compliance.share)}`
}

/** What is left of the error budget, such as `64 %`, or how much more was used than there is. */
export function budgetText({ budget }: QueryLatency): string {
  if (!budget || budget.left === null) return '–'
  return budget.left >= 0
    ? countedShare(budget.left)
    : `used ${formatCount(Math.round((1 - budget.left) * 10) / 10)} times`
}

/** How fast it is used now: the burn rates of the shorter windows. */
export function burnText({ budget }: QueryLatency): string {
  const rates = budget?.burns.map(
    ({ long_seconds, long_rate }) =>
      `${long_rate === null ? '–' : formatCount(Math.round(long_rate * 10) / 10)} over ${formatDuration(long_seconds)}`,
  )
  return `burn rate ${rates?.join(', ') ?? '–'}`
}

type Incident = QueryLatency['incidents'][number]

/** What executions found that must not be, whose they were, by which versions, and since when. */
export function incidentText(incident: Incident, bound: number): string {
  const { source, executions, versions, since } = incident
  const by = source === 'workbench' ? 'the workbench' : 'applications'
  const named = `${versions.length === 1 ? 'version' : 'versions'} ${versions.join(', ')}`
  return `${plural(executions, 'execution')} by ${by} ${deedOf(incident, bound)}, in ${named}, since ${formatDay(since)}.`
}

function deedOf({ kind, relied_on }: Incident, bound: number): string {
  switch (kind) {
    case 'over-bound':
      return `made more requests than the bound of ${formatCount(bound)}`
    case 'limit-passed':
      return `found more rows than ${relied_on.join(' or ') || 'a CARDINALITY LIMIT'} allows`
    case 'dangling-entry':
      return `found an index entry of ${relied_on.join(' or ') || 'a table'} without its record`
  }
}

/** What to do about each kind of incident. */
export const ADVICE: Readonly<Record<Incident['kind'], string>> = {
  'over-bound':
    'A bound is proven: PIQL is at fault, or the store. Roll back to a version without incidents, and report the plan.',
  'limit-passed':
    'Rows beyond the limit are left out. Another program wrote them, or an older schema. Headroom names the fullest groups: delete rows, or deploy a higher limit.',
  'dangling-entry':
    'Its row is left out. Another program deleted the record, or the store lost it. Restore the record, or dump the store and load it into a new one.',
}

type Compliance = NonNullable<QueryLatency['compliance']>

/** The share of the executions that took no longer than the SLO's threshold. */
export function withinText({ executions, within }: Compliance): string {
  return executions === 0 ? '–' : countedShare(within / executions)
}

/** The interval of that share, and what the SLO asks for. */
export function withinDetail({ within_low, within_high }: Compliance, quantile: number): string {
  const asked = `of ${formatPercent(quantile)}`
  return within_low === null || within_high === null
    ? asked
    : `${asked}; 95 %: ${countedShare(within_low)} to ${countedShare(within_high)}`
}
