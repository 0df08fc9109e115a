// What the TypeScript client of every_type.piql does; started with the address of a service.
import assert from 'node:assert/strict'
import { Connection, decimal, InvalidParameter, Queries, type Things } from './piql_client.js'

const queries = new Queries(new Connection(process.argv[2] ?? ''))

const full: Things = {
  id: 1,
  big: 2n ** 53n + 1n,
  price: '12345678901234567890.0123456789',
  double: 0.1,
  is_new: true,
  str: 'ü€😀',
  date: '2026-01-31',
  made: new Date('2026-01-31T12:00:00.125Z'),
  raw: new Uint8Array([0, 255]),
  uuid: '123e4567-e89b-42d3-a456-426614174000',
  event: '123e4567-e89b-12d3-a456-426614174000',
}
const nothing = { price: null, double: null, is_new: null, str: null, date: null, made: null, raw: null }
const empty: Things = { id: 2, big: -(2n ** 63n) + 1n, ...nothing, uuid: null, event: null }
await queries.addThing({ ...full, raw: Buffer.from([0, 255]) }) // which has a JSON of its own
await queries.addThing(empty)
for (const thing of [full, empty]) assert.deepEqual((await queries.findThing({ id: thing.id })).rows, [thing])
assert.deepEqual((await queries.findThings({ ids: [1, 2] })).rows, [
  { id: 1, more: 2n ** 53n + 2n },
  { id: 2, more: -(2n ** 63n) + 2n },
])
assert.deepEqual((await queries.bigOnes({ bigs: [7n, 2n ** 53n + 1n] })).rows, [{ id: 1 }])
assert.deepEqual((await queries.nothing()).rows, [{ count: 1n, nothing: null }])

const page = { class: 1, from: 2, parameters: 3, ['__proto__']: 4, ['constructor']: null }
const [written] = (await queries.putPage(page)).rows
assert.deepEqual(Object.entries(written ?? {}), [['class', 1], ['a b', 2], ['__proto__', 4]])
const [read] = (await queries.class({ p1: 1 })).rows
assert.deepEqual([read?.['a b'], read?.['a-b'], read?.constructor], [2, 3, null])
assert.deepEqual((await queries.constructor({ constructor: 1 })).rows, [read])
assert.deepEqual((await queries['it\'s "*/ \\ 1']({ self: 1 })).rows, [{ '2 "*/ \\': 2, größe: 3 }])

await assert.rejects(queries.findThing({ id: 2 ** 31 }), InvalidParameter)
await assert.rejects(queries.findThing({ id: Number.NaN }), RangeError)
await assert.rejects(queries.addThing({ ...empty, made: new Date('no moment') }), RangeError)
assert.throws(() => decimal('nine'), RangeError)

// A wrong type does not compile: tsc reports an expected error that is none.
export async function wrong(): Promise<void> {
  // @ts-expect-error a number is no BIGINT
  await queries.bigOnes({ bigs: [1] })
  // @ts-expect-error a text of letters is no UUID
  await queries.addThing({ ...empty, uuid: 'nobody' })
  // @ts-expect-error a key is never NULL
  await queries.putPage({ ...page, class: null })
}
