/** A DATE as a text such as '2026-01-31': a JavaScript Date would be a moment in some time zone. */
export type DateText = `${number}-${number}-${number}`
/** An exact DECIMAL as a text such as '9.50'. `decimal()` makes one of any text. */
export type Decimal = `${number}`
/** A UUID as a text, as `crypto.randomUUID()` makes it. */
export type UuidText = `${string}-${string}-${string}-${string}-${string}`

/** Return a text as a DECIMAL; throw a RangeError where it is none. */
export function decimal(text: string): Decimal {
  if (!/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text)) throw new RangeError(`'${text}' is no DECIMAL`)
  return text as Decimal
}

/** Base of what a query throws. */
export class ClientError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
  }
}
/** No answer came, or only a part of it. A write may be made or not. */
export class Unreachable extends ClientError {}
/** The answer is not what this client was generated for, or does not come from the service. */
export class UnexpectedAnswer extends ClientError {}

/** The service refuses; each code that a program may wait for has a class of its own. */
export class Refused extends ClientError {
  readonly status: number
  readonly code: string
  readonly help: string | null
  readonly parameter: string | null
  /** The number of requests that it would have taken of the budget, 0 where that is not the reason. */
  readonly cost: number
  /** The time after which it may be tried again, 0 where the service names none. */
  readonly retryAfterMs: number

  constructor(status: number, content: RefusalContent, retryAfterMs: number) {
    super(content.message)
    this.status = status
    this.code = content.code
    this.help = content.help ?? null
    this.parameter = content.parameter ?? null
    this.cost = content.cost ?? 0
    this.retryAfterMs = retryAfterMs
  }
}
/** The budget of the token is used up until `retryAfterMs` have passed. */
export class BudgetUsedUp extends Refused {}
/** One row more would pass a CARDINALITY LIMIT. */
export class CardinalityViolation extends Refused {}
/** The condition of an UPDATE … IF does not hold. */
export class ConditionFailed extends Refused {}
/** A value breaks NOT NULL, its type or its length. */
export class ConstraintViolation extends Refused {}
/** A CAST met a text that stands for no value of its type. */
export class ConversionFailed extends Refused {}
/** The time of the connection is over. A write may be made or not, as the message says. */
export class DeadlinePassed extends Refused {}
/** A row with this primary or unique key exists already. */
export class DuplicateKey extends Refused {}
/** A referenced row is missing, or a row to delete is still referenced. */
export class ForeignKeyViolation extends Refused {}
/** The cursor is damaged, or belongs to another query or to other parameters. */
export class InvalidCursor extends Refused {}
/** The cursor was made by a version of the query that has been replaced. */
export class StaleCursor extends InvalidCursor {}
/** A parameter does not fit; `parameter` is its name. */
export class InvalidParameter extends Refused {}
/** The token of the session is damaged, or was made by another store. */
export class InvalidSession extends Refused {}
/** The query is not deployed any more. */
export class NotDeployed extends Refused {}
/** What is computed does not fit its type. */
export class NumberOutOfRange extends Refused {}
/** Interrupted writes are still being settled: try again. */
export class RepairPending extends Refused {}
/** The store does not answer. */
export class StoreUnavailable extends Refused {}
/** The service has as many connections as it takes. */
export class TooManyConnections extends Refused {}
/** The token is missing or unknown. */
export class UnknownToken extends Refused {}

const refusals = new Map<string, typeof Refused>([
  ['budget-used-up', BudgetUsedUp],
  ['cardinality-violation', CardinalityViolation],
  ['condition-failed', ConditionFailed],
  ['constraint-violation', ConstraintViolation],
  ['conversion-failed', ConversionFailed],
  ['deadline-passed', DeadlinePassed],
  ['duplicate-key', DuplicateKey],
  ['foreign-key-violation', ForeignKeyViolation],
  ['invalid-cursor', InvalidCursor],
  ['invalid-parameter', InvalidParameter],
  ['invalid-session', InvalidSession],
  ['not-deployed', NotDeployed],
  ['number-out-of-range', NumberOutOfRange],
  ['repair-pending', RepairPending],
  ['stale-cursor', StaleCursor],
  ['store-unavailable', StoreUnavailable],
  ['too-many-connections', TooManyConnections],
  ['unknown-token', UnknownToken],
])

/** A refusal as it comes. */
export interface RefusalContent {
  code: string
  message: string
  help?: string | null
  parameter?: string | null
  cost?: number | null
  retry_after_ms?: number | null
}

/** The rows of a query. `operations` is the number of requests that were made to the store. */
export interface Answer<Row> {
  readonly rows: Row[]
  readonly operations: number
}
/** One page of a query. `cursor` is where the next one begins, null after the last. */
export interface Page<Row> extends Answer<Row> {
  readonly cursor: string | null
}
/** What a write has done; `rows` are those of its RETURNING. */
export interface Written<Row> extends Answer<Row> {
  readonly rowsAffected: number
}

/**
 * The pages of a query, each read when it is asked for.
 *
 * `cursor` is where the next page begins: another call, in another process too, goes on there. It is null before the
 * first page and after the last. When a page is refused, the next step asks for the same page again.
 */
export class Pages<Row> implements AsyncIterableIterator<Page<Row>> {
  cursor: string | null
  #isOver = false
  readonly #read: (cursor: string | null) => Promise<Page<Row>>

  constructor(read: (cursor: string | null) => Promise<Page<Row>>, cursor: string | null) {
    this.#read = read
    this.cursor = cursor
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<Page<Row>, undefined>> {
    if (this.#isOver) return { done: true, value: undefined }
    const page = await this.#read(this.cursor)
    this.cursor = page.cursor
    this.#isOver = page.cursor === null
    return { done: false, value: page }
  }
}

export interface ConnectionOptions {
  readonly token?: string
  /** For each request, 10,000 if left out: a read makes no request to the store after it. */
  readonly timeoutMs?: number
  /** How fresh the rows of a read are; left out, the service decides. */
  readonly consistency?: 'eventual' | 'quorum'
}

const graceMs = 2_000 // the service says itself when the time is over, if it can

/** Where the service is, and how it is asked. */
export class Connection {
  readonly #address: string
  readonly #options: ConnectionOptions
  #session: string | null = null

  constructor(address: string, options: ConnectionOptions = {}) {
    if (!/^https?:\/\//i.test(address)) {
      throw new RangeError(`'${address}' is not the address of a service: write http://HOST:PORT`)
    }
    this.#address = address.replace(/\/+$/, '')
    this.#options = options
  }

  /**
   * Return a connection whose reads see what it has written; `token` goes on with a session from elsewhere.
   *
   * A session decides itself how fresh its reads are. Its requests come one after another.
   */
  session(token = 'new'): Connection {
    const connection = new Connection(this.#address, this.#options)
    connection.#session = token
    return connection
  }

  /** The token with which the session goes on in another process; null where there is no session. */
  get sessionToken(): string | null {
    return this.#session
  }

  /** Execute a query by its name; the methods of Queries know the types that this takes. */
  async read<Row>(query: string, parameters: object, columns: Columns<Row>): Promise<Answer<Row>> {
    const content = await this.#send(query, parameters, null)
    return { rows: rowsOf(query, content, columns), operations: content['operations'] as number }
  }

  /** The same for a query with pages. */
  pages<Row>(query: string, parameters: object, cursor: string | null, columns: Columns<Row>): Pages<Row> {
    return new Pages(async (cursor) => {
      const content = await this.#send(query, parameters, cursor)
      const rows = rowsOf(query, content, columns)
      return { rows, operations: content['operations'] as number, cursor: content['cursor'] as string | null }
    }, cursor)
  }

  /** The same for a write; `columns` are null where it has no RETURNING. */
  async write<Row>(query: string, parameters: object, columns: Columns<Row> | null): Promise<Written<Row>> {
    const content = await this.#send(query, parameters, null)
    const rows = columns === null ? [] : rowsOf(query, content, columns)
    const rowsAffected = content['rows_affected'] as number
    return { rows, operations: content['operations'] as number, rowsAffected }
  }

  async #send(query: string, parameters: object, cursor: string | null): Promise<Content> {
    const named = Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, written(value)]))
    const body = JSON.stringify(cursor === null ? { parameters: named } : { parameters: named, cursor })
    const timeoutMs = this.#options.timeoutMs ?? 10_000
    let response: Response
    let text: string
    try {
      response = await fetch(`${this.#address}/queries/${encodeURIComponent(query)}`, {
        method: 'POST',
        headers: this.#headers(timeoutMs),
        body,
        redirect: 'error', // the token is for this address alone
        signal: AbortSignal.timeout(timeoutMs + graceMs),
      })
      text = await response.text()
    } catch (error) {
      throw new Unreachable(`${this.#address} does not answer: ${error}`, { cause: error })
    }
    const content = contentOf(text)
    if (!response.ok) throw refusal(response, content)
    if (content === null) throw new UnexpectedAnswer(`${this.#address} answers with something other than rows`)
    const session = response.headers.get('Piql-Session')
    if (this.#session !== null && session !== null) this.#session = session
    return content
  }

  #headers(timeoutMs: number): Record<string, string> {
    const { token, consistency } = this.#options
    const headers: Record<string, string> = { 'Content-Type': 'application/json', 'Piql-Timeout-Ms': `${timeoutMs}` }
    if (token !== undefined) headers['Authorization'] = `Bearer ${token}`
    if (this.#session !== null) headers['Piql-Session'] = this.#session
    else if (consistency !== undefined) headers['Piql-Consistency'] = consistency
    return headers
  }
}

/** An object of JSON. */
export type Content = Readonly<Record<string, unknown>>

function contentOf(text: string): Content | null {
  try {
    const content: unknown = JSON.parse(text)
    return typeof content === 'object' && content !== null ? (content as Content) : null
  } catch {
    return null
  }
}

function refusal(response: Response, content: Content | null): ClientError {
  if (content === null || typeof content['code'] !== 'string') {
    return new UnexpectedAnswer(`${response.url} answers with status ${response.status}, and not as the service does`)
  }
  const reasons = content as unknown as RefusalContent
  const afterMs = reasons.retry_after_ms ?? Number(response.headers.get('Retry-After') ?? 0) * 1000
  return new (refusals.get(reasons.code) ?? Refused)(response.status, reasons, Number.isFinite(afterMs) ? afterMs : 0)
}

/** How each column of a row is read from JSON. */
export type Columns<Row> = { readonly [Name in keyof Row]-?: (value: unknown) => Row[Name] }

function rowsOf<Row>(query: string, content: Content, columns: Columns<Row>): Row[] {
  try {
    const names = Object.keys(columns) as (keyof Row & string)[]
    return (content['rows'] as Content[]).map(
      (row) => Object.fromEntries(names.map((name) => [name, columns[name](row[name])])) as Row,
    )
  } catch (error) {
    throw new UnexpectedAnswer(`${query} has other columns than this client expects: generate the client again`, { cause: error })
  }
}

/** Return a value that JSON has no type for as one that it has; throw a RangeError for NaN and for no moment. */
function written(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError(`a query takes no ${value}`)
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.map(written)
  if (!(value instanceof Uint8Array)) return value
  return { $base64: btoa(Array.from(value, (byte) => String.fromCharCode(byte)).join('')) }
}

/** How values are read from JSON. */
export const values = {
  anything: (value: unknown): unknown => value,
  bigint(value: unknown): bigint {
    if (typeof value !== 'number' && typeof value !== 'string') throw new TypeError(`${value} is no BIGINT`)
    return BigInt(value)
  },
  blob(value: unknown): Uint8Array {
    const text = values.text((value as Content)['$base64'])
    return Uint8Array.from(atob(text), (byte) => byte.charCodeAt(0))
  },
  boolean(value: unknown): boolean {
    if (typeof value !== 'boolean') throw new TypeError(`${value} is no BOOLEAN`)
    return value
  },
  date: (value: unknown): DateText => values.text(value) as DateText,
  decimal: (value: unknown): Decimal => decimal(values.text(value)),
  number(value: unknown): number {
    if (typeof value !== 'number') throw new TypeError(`${value} is no number`)
    return value
  },
  text(value: unknown): string {
    if (typeof value !== 'string') throw new TypeError(`${value} is no text`)
    return value
  },
  timestamp(value: unknown): Date {
    const moment = new Date(values.text(value))
    if (Number.isNaN(moment.getTime())) throw new TypeError(`${value} is no TIMESTAMP`)
    return moment
  },
  uuid: (value: unknown): UuidText => values.text(value) as UuidText,
  nullable:
    <Value>(read: (value: unknown) => Value) =>
    (value: unknown): Value | null =>
      value === null ? null : read(value),
}
