/** What is said of an experiment: its verdict in a word, and how many of its claims came out how. */
type Verdict = 'agrees' | 'disagrees' | 'undecidable'

interface Judged {
  claims: readonly { verdict: Verdict }[]
}

const ORDER: readonly Verdict[] = ['agrees', 'disagrees', 'undecidable']

/** `2 claims agree, 1 is undecidable`; empty before the first run. */
export function countsOf({ claims }: Judged): string {
  const counts = ORDER.map((verdict) => [verdict, claims.filter((claim) => claim.verdict === verdict).length] as const)
  const shown = counts.filter(([, count]) => count > 0)
  return shown
    .map(([verdict, count], at) => `${count}${at === 0 ? noun(count) : ''} ${verb(verdict, count)}`)
    .join(', ')
}

/** `about a minute`, `about 2 minutes`. */
export function durationOf({ minutes }: { minutes: number }): string {
  if (minutes < 0.5) return 'some seconds'
  return minutes <= 1 ? 'about a minute' : `about ${Math.round(minutes)} minutes`
}

/** `on cql://db1/shop`: where a run was told to be. */
export function placeOf(store: string): string {
  return store === 'embedded:' ? 'on new embedded files' : `on ${store}`
}

/** A value of a row: numbers with as many digits as say something. */
export function valueText(value: string | number | null): string {
  if (value === null) return '–'
  if (typeof value === 'string') return value
  const digits = Number.isInteger(value) ? 0 : Math.abs(value) < 10 ? 3 : 1
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

function noun(count: number): string {
  return count === 1 ? ' claim' : ' claims'
}

function verb(verdict: Verdict, count: number): string {
  if (verdict === 'undecidable') return count === 1 ? 'is undecidable' : 'are undecidable'
  return count === 1 ? verdict : verdict.slice(0, -1)
}
