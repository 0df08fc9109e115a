/**
 * Values of rows in the panel Data: from the API's JSON to the text of a cell or a field, and from typed text to JSON. No
 * conversion loses digits or bytes.
 */

type RowJson = unknown
type CellKind = 'null' | 'number' | 'boolean' | 'moment' | 'bytes' | 'text'

interface CellShown {
  kind: CellKind
  text: string
  /** A remark for the tooltip: the local time, or the number of bytes. */
  more?: string
}

const NUMBER = /^(INT|BIGINT|DOUBLE|DECIMAL)/

export function isNumber(type: string): boolean {
  return NUMBER.test(type)
}

/** What a cell shows; a time is shown in UTC, with the local time as a remark. */
export function shownValue(value: RowJson, type: string): CellShown {
  if (value === null || value === undefined) return { kind: 'null', text: 'NULL' }
  if (typeof value === 'boolean') return { kind: 'boolean', text: String(value) }
  const bytes = base64Of(value)
  if (bytes !== null) return shownBytes(bytes)
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value as string | number)
  if (type === 'TIMESTAMP') return { kind: 'moment', text, more: onClock(text) }
  return { kind: isNumber(type) ? 'number' : 'text', text }
}

function base64Of(value: RowJson): string | null {
  return typeof value === 'object' && value !== null && '$base64' in value ? String(value.$base64) : null
}

/** The first 12 bytes in hexadecimal, as SQL writes them. */
function shownBytes(base64: string): CellShown {
  const bytes = atob(base64)
  const hex = Array.from(bytes.slice(0, 12), (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('')
  const rest = bytes.length > 12 ? '…' : ''
  return { kind: 'bytes', text: `X'${hex.toUpperCase()}${rest}'`, more: `${bytes.length} bytes` }
}

function onClock(iso: string): string {
  const moment = new Date(iso)
  return Number.isNaN(moment.getTime()) ? '' : `${moment.toLocaleString()} on this clock`
}

/** The text in a field for a value; null stands for NULL. */
export function typedValue(value: RowJson): string | null {
  if (value === null || value === undefined) return null
  const bytes = base64Of(value)
  if (bytes !== null) return bytes
  return typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean)
}

/** The JSON of a typed text. A text that cannot be read is sent as it is, so that the server says what is wrong. */
export function readTyped(typed: string | null, type: string): string | number | boolean | null | { $base64: string } {
  if (typed === null) return null
  const text = typed.trim()
  if (type === 'BOOLEAN') return text === 'true' ? true : text === 'false' ? false : text
  if (type === 'BLOB') return { $base64: text }
  if (/^(INT|BIGINT)$/.test(type)) return readWhole(text)
  if (type === 'DOUBLE') return text !== '' && Number.isFinite(Number(text)) ? Number(text) : text
  if (/^DECIMAL/.test(type)) return text
  return type === 'VARCHAR' || /^(VARCHAR|TEXT)/.test(type) ? typed : text
}

/** A whole number beyond 2^53 stays a text, because JavaScript would round it. */
function readWhole(text: string): string | number {
  const value = Number(text)
  return /^[+-]?\d+$/.test(text) && Number.isSafeInteger(value) ? value : text
}

/**
 * The columns that can be filtered by next. `filters` are the lists of columns that a key or an index serves, in order;
 * `chosen` are the columns filtered by so far, which must be the first ones of such a list.
 */
export function nextFilters(filters: readonly (readonly string[])[], chosen: readonly string[]): string[] {
  const next = filters
    .filter((columns) => chosen.every((name) => columns.slice(0, chosen.length).includes(name)))
    .map((columns) => columns[chosen.length])
  return [...new Set(next)].filter((name): name is string => name !== undefined)
}
