/**
 * The dashboard over all applications: which environments are shown and in what order, and the one thing that it says.
 * Pure.
 */
import { formatCount, plural } from '../units'
import { matches } from './query-list'

/** One environment, in counts of its queries. */
export interface Place {
  application: string
  application_title: string
  environment: string
  environment_title: string
  version: number | null
  executed: number
  in_danger: number
  slower: number
  /** Why it could not be read; null where it could. */
  problem: string | null
}

/**
 * The environments whose names match; parts between commas are alternatives: `shop, chat production`. What is in danger
 * comes first, then what cannot be read, then what has slower queries.
 */
export function shownPlaces<P extends Place>(places: readonly P[], named: string): P[] {
  const parts = named
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
  const names = (place: P) =>
    [place.application_title, place.application, place.environment_title, place.environment].join(' ')
  return places
    .filter((place) => parts.length === 0 || parts.some((part) => matches(names(place), part)))
    .toSorted(
      (a, b) =>
        b.in_danger - a.in_danger ||
        Number(b.problem !== null) - Number(a.problem !== null) ||
        b.slower - a.slower ||
        a.application_title.localeCompare(b.application_title, undefined, { numeric: true }) ||
        a.application.localeCompare(b.application) ||
        a.environment.localeCompare(b.environment),
    )
}

const NOTHING = 'Nothing was executed in this time. Open an application and run a query, or let one of yours report.'

/** What is in danger, in one sentence; `tone` is that of the notice. */
export function headlineOf(places: readonly Place[]): {
  tone: 'danger' | 'warning' | 'accent' | 'plain'
  text: string
} {
  const queries = places.reduce((sum, { in_danger }) => sum + in_danger, 0)
  const applications = (chosen: readonly Place[]) => new Set(chosen.map(({ application }) => application)).size
  const all = applications(places)
  const unread = places.filter(({ problem }) => problem !== null).length
  const rest = unread > 0 ? ` ${plural(unread, 'environment')} could not be read.` : ''
  if (queries > 0) {
    const hit = applications(places.filter(({ in_danger }) => in_danger > 0))
    const where = all === 1 ? '' : ` in ${formatCount(hit)} of ${plural(all, 'application')}`
    return {
      tone: 'danger',
      text: `${plural(queries, 'query is', 'queries are')} in danger${where}.${rest}`,
    }
  }
  if (unread > 0) return { tone: 'warning', text: `Nothing else is in danger.${rest}` }
  if (places.every(({ executed }) => executed === 0)) return { tone: 'plain', text: NOTHING }
  return { tone: 'accent', text: `Nothing is in danger in ${plural(all, 'application')}.` }
}
