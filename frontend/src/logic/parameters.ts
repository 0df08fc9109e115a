/**
 * The values of a query's parameters: from the texts in the form to what the API takes (`readParameters`), and from a
 * value to the text in its field (`typedOf`). Whatever cannot be read without loss is sent as it was typed, and the
 * server explains.
 */

import { entryOf } from './entry'
import { JSON_OF_TYPE } from './words'

export interface ParameterShape {
  name: string
  type: string
  max_value?: number | null
  max_items?: number | null
}

/** Bytes, as the API takes them. */
interface Bytes {
  $base64: string
}

export function isBytes(value: object): value is Bytes {
  return '$base64' in value && typeof value.$base64 === 'string'
}

type Scalar = string | number | boolean | Bytes
/** A row of a list, by the names of its columns or in their order; it is typed as JSON. */
type Row = Record<string, Scalar | null> | (Scalar | null)[]
export type ParameterValue = Scalar | (Scalar | Row)[] | null
/** What a field holds: the text in it, or null where NULL was chosen. */
export type Typed = string | null
export type ParameterKind = 'boolean' | 'number' | 'timestamp' | 'bytes' | 'text'

/** The kind of field for a type. */
export function kindOf(parameter: Pick<ParameterShape, 'type'>): ParameterKind {
  return KINDS[jsonOf(parameter)] ?? 'text'
}

const KINDS: Readonly<Record<string, ParameterKind>> = {
  boolean: 'boolean',
  int32: 'number',
  int64: 'number',
  double: 'number',
  'date-time': 'timestamp',
  object: 'bytes',
}

/** How values of a type stand in JSON, such as `int64`; the type has the name that the compiler gives it. */
function jsonOf({ type }: Pick<ParameterShape, 'type'>): string {
  return entryOf(JSON_OF_TYPE, /^\w*/.exec(type)?.[0] ?? '') ?? 'string'
}

export function isList(parameter: Pick<ParameterShape, 'type' | 'max_items'>): boolean {
  return typeof parameter.max_items === 'number' || /\[\]$|^LIST/i.test(parameter.type)
}

/** What the field of a parameter holds: an untouched field holds an empty text, not NULL. */
export function valueOf(typed: Readonly<Record<string, Typed>>, name: string): Typed {
  const value = entryOf(typed, name)
  return value === undefined ? '' : value
}

/** Whether a parameter may be NULL: the count of a LIMIT (it has `max_value`) and a list may not. */
export function canBeNull(parameter: ParameterShape): boolean {
  return !isList(parameter) && typeof parameter.max_value !== 'number'
}

/** The values to send. A list has one value per line, a list of rows one row in JSON; an empty field that is no text is left out. */
export function readParameters(
  parameters: readonly ParameterShape[],
  typed: Readonly<Record<string, Typed>>,
): Record<string, ParameterValue> {
  const entries = parameters.flatMap((parameter): [string, ParameterValue][] => {
    const content = entryOf(typed, parameter.name)
    if (content === undefined) return []
    if (content === null && canBeNull(parameter)) return [[parameter.name, null]]
    const text = content ?? ''
    if (text === '' && kindOf(parameter) !== 'text' && !isList(parameter)) return []
    return [[parameter.name, isList(parameter) ? readList(parameter, text) : readValue(parameter, text)]]
  })
  return Object.fromEntries(entries)
}

function readList(parameter: ParameterShape, text: string): (Scalar | Row)[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((item) => (isOfRows(parameter) ? readRow(item) : readValue(parameter, item)))
}

/** Whether the items of a list are the rows that an INSERT writes. */
export function isOfRows({ type }: Pick<ParameterShape, 'type'>): boolean {
  return type.startsWith('ROW(')
}

/** A line that is no JSON is sent as it is typed. */
function readRow(text: string): Row | string {
  try {
    return JSON.parse(text) as Row
  } catch {
    return text.trim()
  }
}

function readValue(parameter: ParameterShape, text: string): Scalar {
  const trimmed = text.trim()
  switch (kindOf(parameter)) {
    case 'boolean':
      return trimmed.toLowerCase() === 'true' ? true : trimmed.toLowerCase() === 'false' ? false : trimmed
    case 'number':
      return isWhole(parameter) ? readInteger(trimmed) : readDouble(trimmed)
    case 'timestamp':
      return readInstant(trimmed)
    case 'bytes':
      return { $base64: trimmed }
    case 'text':
      return text
  }
}

function isWhole(parameter: Pick<ParameterShape, 'type'>): boolean {
  return jsonOf(parameter) !== 'double'
}

/**
 * Only digits are read as a number, because JavaScript would round `9007199254740993.0`; beyond 2^53 they stay a text.
 */
function readInteger(text: string): string | number {
  if (!/^[+-]?\d+$/.test(text)) return text
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : text.replace('+', '')
}

/** The nearest DOUBLE; a number that would become infinite, or zero though it is not, is sent as it is typed. */
function readDouble(text: string): string | number {
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return text
  const value = Number(text)
  const isLost = value === 0 && /[1-9]/.test(text.replace(/e.*/i, ''))
  return Number.isFinite(value) && !isLost ? value : text
}

/**
 * A time without a zone is local and sent as UTC. Anything else is sent as it is typed, because JavaScript would read
 * almost any text as a time, and February 30 as March 2. So is a local time that daylight saving skips.
 */
function readInstant(text: string): string {
  const local = /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00` : text
  const asIfUtc = new Date(`${local}Z`)
  if (!isLocal(local) || Number.isNaN(asIfUtc.getTime()) || !asIfUtc.toISOString().startsWith(local.slice(0, 10)))
    return text
  const iso = new Date(local).toISOString()
  return asIfUtc.toISOString() === `${localInstant(iso)}Z` ? iso : text
}

function isLocal(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/.test(text)
}

/**
 * Whether a `datetime-local` field can show this text; anything else, such as a time in UTC, is shown in a text field.
 */
export function isOnClock(text: string): boolean {
  return text === '' || (isLocal(text) && !text.startsWith('0000'))
}

/** Whether a parameter needs a field of several lines, as one of a single line would drop line breaks. */
export function isOfLines(parameter: Pick<ParameterShape, 'type'>, text: string): boolean {
  return /^TEXT/i.test(parameter.type) || /[\r\n]/.test(text)
}

/** The content of a field for a value. */
export function typedOf(parameter: ParameterShape, value: unknown): Typed {
  return value === null && canBeNull(parameter) ? null : writeParameter(parameter, value)
}

/** The text in a field for a value: lists with one item per line, times as local times. */
export function writeParameter(parameter: ParameterShape, value: unknown): string {
  if (value === null || value === undefined) return ''
  if (isOfRows(parameter) && Array.isArray(value)) return value.map((row) => JSON.stringify(row)).join('\n')
  if (Array.isArray(value))
    return value.map((item) => writeParameter({ ...parameter, max_items: null }, item)).join('\n')
  if (kindOf(parameter) === 'timestamp' && typeof value === 'string') return writeInstant(value)
  if (typeof value === 'object' && '$base64' in value) return String(value.$base64)
  return typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean)
}

/**
 * The local time if it names this instant; in UTC in an hour that daylight saving repeats, and outside the field's
 * years.
 */
function writeInstant(iso: string): string {
  const local = localInstant(iso)
  return isOnClock(local) && readInstant(local) === iso ? local : iso
}

/** An instant as a local time, the way `datetime-local` fields want it: 2026-03-01T12:30:05.120. */
export function localInstant(iso: string): string {
  const instant = new Date(iso)
  if (Number.isNaN(instant.getTime())) return iso
  const shifted = new Date(instant.getTime() - instant.getTimezoneOffset() * 60_000)
  return shifted.toISOString().slice(0, -1)
}
