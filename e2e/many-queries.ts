// Many queries with reports of an application, for what must stay readable with hundreds of queries: some fail, burn
// their budget or break their SLO, some were executed too seldom to judge, or not at all.
import { Api } from './api.ts'

/** What becomes of a query, chosen by its number. */
type Fate = 'calm' | 'failing' | 'burning' | 'broken' | 'limit' | 'few' | 'idle' | 'free'

interface Reported {
  outcome: string
  ms: number
  executions: number
  /** Minutes before now in which these executions ran; each minute has as many. */
  minutes: readonly number[]
}

const LAST_HOUR = Array.from({ length: 50 }, (_, minute) => minute + 1)
const EARLIER = [30, 31, 32, 33, 34]
const REST_OF_EARLIER = LAST_HOUR.filter((minute) => !EARLIER.includes(minute))
const THRESHOLD_MS = 50
const QUERIES_OF_SHIPMENT = 60 // a shipment has at most 20,000 cells
const ok = (ms: number, executions: number, minutes = LAST_HOUR): Reported => ({
  outcome: 'ok',
  ms,
  executions,
  minutes,
})

const REPORTED: Readonly<Record<Fate, readonly Reported[]>> = {
  calm: [ok(4, 200), ok(9, 12), ok(18, 2)],
  failing: [{ outcome: 'StoreUnavailable', ms: 900, executions: 30, minutes: LAST_HOUR }],
  burning: [ok(12, 100), ok(140, 40)],
  broken: [ok(6, 200, REST_OF_EARLIER), ok(6, 195, EARLIER), ok(90, 5, EARLIER)],
  limit: [ok(6, 100), { outcome: 'limit-passed', ms: 8, executions: 1, minutes: [3] }],
  few: [ok(5, 4, [2, 4])],
  idle: [],
  free: [ok(30, 60), ok(75, 3)],
}

/** The fates of the first ten queries, repeated for all others but `limit`, `burning` and `failing`, which are rare. */
const FATES: readonly Fate[] = ['calm', 'calm', 'burning', 'few', 'idle', 'broken', 'free', 'calm', 'limit', 'failing']

export function fateOf(number: number): Fate {
  const fate = FATES[number % FATES.length] ?? 'calm'
  const isRare = fate === 'limit' || fate === 'burning' || fate === 'failing'
  return isRare && Math.floor(number / FATES.length) % 5 !== 0 ? 'calm' : fate
}

/** A name as long as people give: `orders_of_customer_by_day_017`. */
export function nameOf(number: number): string {
  const subjects = ['orders_of_customer', 'cart', 'newest_reviews', 'stock_by_warehouse', 'invoice', 'session_of_user']
  return `${subjects[number % subjects.length]}_${String(number).padStart(3, '0')}`
}

const textOf = (number: number) =>
  number % 3 === 0
    ? `CREATE QUERY ${nameOf(number)} AS SELECT username FROM users WHERE username = [1: a${number}];`
    : `CREATE QUERY ${nameOf(number)} AS SELECT u.username, u.hometown FROM subscriptions s JOIN users u
       ON u.username = s.target WHERE s.owner = [1: a${number}];`

/** Deploys so many queries beside those of SCADr, gives them SLOs, and reports what became of them. */
export async function manyQueries(api: Api, count: number): Promise<void> {
  const numbers = Array.from({ length: count }, (_, number) => number)
  await api.create('queries/many.piql', `${numbers.map(textOf).join('\n\n')}\n`)
  await api.deployPredicted()
  const version = await api.liveVersion()
  await api.promise(numbers.filter((number) => fateOf(number) !== 'free').map(nameOf), {
    quantile: 0.99,
    threshold_ms: THRESHOLD_MS,
    interval_seconds: 300,
  })
  for (let first = 0; first < count; first += QUERIES_OF_SHIPMENT)
    await api.report(shipmentOf(numbers.slice(first, first + QUERIES_OF_SHIPMENT), version))
}

/** A shipment as the library sends it (`piql.reporting.shipment`). */
function shipmentOf(numbers: readonly number[], version: number): unknown {
  const outcomes = ['ok', 'StoreUnavailable', 'limit-passed']
  const thisMinute = Math.floor(Date.now() / 60_000)
  const rows = numbers.flatMap((number) =>
    REPORTED[fateOf(number)].flatMap(({ outcome, ms, executions, minutes }) =>
      minutes.map((minute) => {
        const requests = number % 3 === 0 ? 1 : 11
        const results = number % 3 === 0 ? 1 : 10
        return {
          minute: thisMinute - minute,
          query: numbers.indexOf(number),
          version,
          outcome: outcomes.indexOf(outcome),
          bound: number % 3 === 0 ? 1 : 101,
          requests_class: requests.toString(2).length,
          rows_class: results.toString(2).length,
          bucket: Math.floor(32 * Math.log2(1 + ((ms * (1 + (number % 7) / 10)) / 1000) * 2 ** 32)),
          executions,
          operations: executions * requests,
          rows: executions * results,
          repairs: 0,
          statements: executions,
          least_operations: requests,
          most_operations: requests,
          least_rows: results,
          most_rows: results,
        }
      }),
    ),
  )
  const columns = Object.keys(rows[0] ?? {}) as (keyof (typeof rows)[number])[]
  return {
    client: '0123456789abcdef0123456789abcdef',
    sequence: numbers[0] ?? 0,
    lost: 0,
    queries: numbers.map(nameOf),
    outcomes,
    cells: Object.fromEntries(columns.map((column) => [column, rows.map((row) => row[column])])),
  }
}
