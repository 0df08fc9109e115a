// What the TypeScript client of SCADr does; started with the address of a service and two tokens, of which one is poor.
import assert from 'node:assert/strict'
import {
  BudgetUsedUp,
  CardinalityViolation,
  Connection,
  ForeignKeyViolation,
  InvalidCursor,
  InvalidParameter,
  Queries,
  Refused,
  type Thoughts,
  UnknownToken,
  Unreachable,
} from './piql_client.js'

const [address = '', rich = '', poor = ''] = process.argv.slice(2)
const connection = new Connection(address, { token: rich })
const queries = new Queries(connection)

/** Return what a query throws. */
async function refusal(query: () => Promise<unknown>): Promise<Refused> {
  try {
    await query()
  } catch (error) {
    return error as Refused
  }
  throw new Error('it was not refused')
}

assert.equal((await queries.addUser({ username: 'ada', hometown: 'London' })).rowsAffected, 1)
await queries.addUser({ username: 'bob', hometown: null })
const answer = await queries.findUser({ username: 'bob' })
assert.deepEqual(answer, { rows: [{ username: 'bob', hometown: null }], operations: 1 })
assert.deepEqual((await queries.findUser({ username: 'nobody' })).rows, [])

const days = Array.from({ length: 25 }, (_, day) => new Date(Date.UTC(2026, 0, day + 1)))
for (const posted of days) await queries.postThought({ me: 'ada', posted, text: `${posted.getUTCDate()}` })
const newest: Thoughts[] = days.map((posted) => ({ owner: 'ada', posted, text: `${posted.getUTCDate()}` })).reverse()
const pages = queries.myThoughts({ me: 'ada' })
assert.deepEqual((await pages.next()).value?.rows, newest.slice(0, 10))
const later = queries.myThoughts({ me: 'ada' }, pages.cursor)
for (const rest of [later, pages]) {
  const read: Thoughts[][] = []
  for await (const page of rest) read.push(page.rows)
  assert.deepEqual(read, [newest.slice(10, 20), newest.slice(20)])
}
assert.equal(pages.cursor, null)
assert.deepEqual(await pages.next(), { done: true, value: undefined })

await queries.subscribe({ owner: 'bob', target: 'ada' })
await queries.approve({ owner: 'bob', target: 'ada' })
assert.deepEqual((await queries.thoughtstream({ me: 'bob', count: 3 })).rows, newest.slice(0, 3))

const session = connection.session()
await new Queries(session).addUser({ username: 'eve', hometown: 'Cork' })
assert.ok(session.sessionToken !== null && session.sessionToken !== 'new')
const elsewhere = new Queries(connection.session(session.sessionToken))
assert.deepEqual((await elsewhere.findUser({ username: 'eve' })).rows, [{ username: 'eve', hometown: 'Cork' }])
const eventual = new Queries(new Connection(address, { token: rich, consistency: 'eventual' }))
assert.equal((await eventual.findUser({ username: 'eve' })).rows.length, 1)

let refused = await refusal(() => queries.subscribe({ owner: 'bob', target: 'nobody' }))
assert.ok(refused instanceof ForeignKeyViolation && refused.name === 'ForeignKeyViolation')
assert.deepEqual([refused.status, refused.code, refused.help], [422, 'foreign-key-violation', 'Insert the referenced row first.'])
for (let number = 0; number < 100; number++) await queries.addUser({ username: `friend${number}`, hometown: null })
for (let number = 0; number < 99; number++) await queries.subscribe({ owner: 'bob', target: `friend${number}` })
refused = await refusal(() => queries.subscribe({ owner: 'bob', target: 'friend99' }))
assert.ok(refused instanceof CardinalityViolation)
refused = await refusal(() => queries.thoughtstream({ me: 'bob', count: 51 }))
assert.ok(refused instanceof InvalidParameter && refused.parameter === 'count')
const damaged = queries.myThoughts({ me: 'ada' }, 'damaged')
assert.ok((await refusal(() => damaged.next())) instanceof InvalidCursor)
assert.equal(damaged.cursor, 'damaged')

const shortOfBudget = new Queries(new Connection(address, { token: poor }))
await shortOfBudget.thoughtstream({ me: 'bob', count: 1 })
refused = await refusal(() => shortOfBudget.thoughtstream({ me: 'bob', count: 1 }))
assert.ok(refused instanceof BudgetUsedUp)
assert.deepEqual([refused.status, refused.cost, refused.retryAfterMs > 1_000], [429, 101, true])
const stranger = new Queries(new Connection(address))
assert.ok((await refusal(() => stranger.findUser({ username: 'ada' }))) instanceof UnknownToken)
const nowhere = new Queries(new Connection('http://127.0.0.1:1'))
assert.ok((await refusal(() => nowhere.findUser({ username: 'ada' }))) instanceof Unreachable)

// A wrong type does not compile: tsc reports an expected error that is none.
export async function wrong(): Promise<void> {
  // @ts-expect-error a number is no VARCHAR
  await queries.findUser({ username: 7 })
  // @ts-expect-error nothing is equal to NULL
  await queries.findUser({ username: null })
  // @ts-expect-error there is no such parameter
  await queries.findUser({ username: 'ada', age: 3 })
  // @ts-expect-error a text is no TIMESTAMP
  await queries.postThought({ me: 'ada', posted: '2026-01-01', text: null })
  // @ts-expect-error a hometown may be NULL
  answer.rows[0]?.hometown.toUpperCase()
  // @ts-expect-error there is no such query
  await queries.nothing()
}
