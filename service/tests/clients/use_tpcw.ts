// What the TypeScript client of TPC-W does; started with the address of a service whose store has three customers.
import assert from 'node:assert/strict'
import { ConditionFailed, Connection, DuplicateKey, decimal, Queries } from './piql_client.js'

const queries = new Queries(new Connection(process.argv[2] ?? ''))
const here = 'typescript'

await queries.addAddress({ address: here, street1: '1 Mill', street2: null, city: 'Cork', state: null, zip: 'T12', country: 1 })
const customer = { uname: here, password: 'secret', first: 'Ada', last: null, address: here, email: null }
await queries.addCustomer({ ...customer, since: '2026-01-31', discount: 0.1 })
await assert.rejects(queries.addCustomer({ ...customer, since: null, discount: null }), DuplicateKey)

assert.deepEqual((await queries.home({ uname: here })).rows, [{ c_fname: 'Ada', c_lname: null }])
const moment = new Date('2026-02-01T12:30:00Z')
const order = { order: here, uname: here, at: moment, shipping: null, billing: here, delivery: here }
await queries.addOrder({ ...order, total: decimal('99999999.99') })
const [last] = (await queries.orderDisplayLastOrder({ uname: here })).rows
assert.deepEqual([last?.o_date_time, last?.o_total, last?.bill_country], [moment, '99999999.99', 'Argentina'])

const item = 'item000001'
await queries.updateItem({ item, cost: '9.50', image: null, published: '2026-01-31' })
const [detail] = (await queries.productDetail({ item })).rows
assert.deepEqual([detail?.i_cost, detail?.i_pub_date, detail?.i_image], ['9.50', '2026-01-31', null])
const seen = detail?.i_stock ?? Number.NaN
await queries.takeFromStock({ item, seen, left: seen - 1 })
await assert.rejects(queries.takeFromStock({ item, seen, left: 0 }), ConditionFailed)
await queries.addCartLine({ uname: here, item, quantity: 2 })
const cart = (await queries.shoppingCart({ uname: here })).rows
assert.deepEqual(cart.map((line) => [line.scl_qty, line.i_cost]), [[2, '9.50']])

// A wrong type does not compile: tsc reports an expected error that is none.
export async function wrong(): Promise<void> {
  // @ts-expect-error a number is not exact
  await queries.updateItem({ item, cost: 9.5, image: null, published: null })
  // @ts-expect-error a text of letters is no DECIMAL
  await queries.updateItem({ item, cost: 'nine', image: null, published: null })
  // @ts-expect-error a JavaScript Date is no DATE
  await queries.updateItem({ item, cost: null, image: null, published: new Date() })
  // @ts-expect-error a text is no INT
  await queries.searchBySubject({ subject: 'ARTS', count: '50' })
}
