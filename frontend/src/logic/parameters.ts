/** The values of a query's parameters, from what was typed in the form to what the API takes. */

import { entryOf } from './entry'

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

type Scalar = string | number | boolean | Bytes
export type ParameterValue = Scalar | Scalar[] | null
/** What a field holds: the text in it, or null where NULL was chosen. */
export type Typed = string | null
export type ParameterKind = 'boolean' | 'number' | 'timestamp' | 'bytes' | 'text'

export function kindOf(parameter: Pick<ParameterShape, 'type'>): ParameterKind {
  const type = parameter.type.toUpperCase()
  if (/^BOOL/.test(type)) return 'boolean'
  if (/^TIMESTAMP/.test(type)) return 'timestamp'
  if (/^(INT|BIGINT|DOUBLE|FLOAT|SMALLINT)/.test(type)) return 'number'
  if (/^BLOB/.test(type)) return 'bytes'
  return 'text'
}

export function isList(parameter: Pick<ParameterShape, 'type' | 'max_items'>): boolean {
  return typeof parameter.max_items === 'number' || /\[\]$|^LIST/i.test(parameter.type)
}

/** What the field of a parameter holds; nothing is an empty text, and never NULL. */
export function valueOf(typed: Readonly<Record<string, Typed>>, name: string): Typed {
  const value = entryOf(typed, name)
  return value === undefined ? '' : value
}

/** The count of a LIMIT and a list are never NULL. */
export function canBeNull(parameter: ParameterShape): boolean {
  return !isList(parameter) && typeof parameter.max_value !== 'number'
}

/**
 * Reads every field; a list has one value a line. What cannot be read is sent as it is typed and what is left empty is
 * left out, so that the one who knows the rules explains them: the server.
 */
export function readParameters(
  parameters: readonly ParameterShape[],
  typed: Readonly<Record<string, Typed>>,
): Record<string, ParameterValue> {
  const entries = parameters.flatMap((parameter): [string, ParameterValue][] => {
    const held = entryOf(typed, parameter.name)
    if (held === undefined) return []
    if (held === null && canBeNull(parameter)) return [[parameter.name, null]]
    const text = held ?? ''
    if (text === '' && kindOf(parameter) !== 'text' && !isList(parameter)) return []
    return [[parameter.name, isList(parameter) ? readList(parameter, text) : readValue(parameter, text)]]
  })
  return Object.fromEntries(entries)
}

function readList(parameter: ParameterShape, text: string): Scalar[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((item) => readValue(parameter, item))
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
  return !/^(DOUBLE|FLOAT)/i.test(parameter.type)
}

/** Digits alone: JavaScript would round `9007199254740993.0`. Beyond 2^53 they are sent as they are. */
function readInteger(text: string): string | number {
  if (!/^[+-]?\d+$/.test(text)) return text
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : text.replace('+', '')
}

/** The nearest DOUBLE; a number beyond all of them, or so small that nothing of it would be left, is sent as it is typed. */
function readDouble(text: string): string | number {
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return text
  const value = Number(text)
  const isLost = value === 0 && /[1-9]/.test(text.replace(/e.*/i, ''))
  return Number.isFinite(value) && !isLost ? value : text
}

/**
 * A time without a zone is on the reader's clock; what is sent is UTC. All else is sent as it is typed: JavaScript would
 * find a moment in almost any text, and take February 30 for March 2. So is an hour that the clock leaves out.
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

/** Whether a field for times on the reader's clock can show this; a moment in UTC is shown as text. */
export function isOnClock(text: string): boolean {
  return text === '' || (isLocal(text) && !text.startsWith('0000'))
}

/** Whether a text may have lines: a field of one line would show another text than it holds. */
export function isOfLines(parameter: Pick<ParameterShape, 'type'>, text: string): boolean {
  return /^TEXT/i.test(parameter.type) || /[\r\n]/.test(text)
}

/** What a field holds for a value. */
export function typedOf(parameter: ParameterShape, value: unknown): Typed {
  return value === null && canBeNull(parameter) ? null : writeParameter(parameter, value)
}

/** What a field shows for a value: lists one item a line, times on the reader's clock. */
export function writeParameter(parameter: ParameterShape, value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value))
    return value.map((item) => writeParameter({ ...parameter, max_items: null }, item)).join('\n')
  if (kindOf(parameter) === 'timestamp' && typeof value === 'string') return writeInstant(value)
  if (typeof value === 'object' && '$base64' in value) return String(value.$base64)
  return typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean)
}

/** On the reader's clock where that names the moment: not in an hour that the clock repeats, nor outside its years. */
function writeInstant(iso: string): string {
  const local = localInstant(iso)
  return isOnClock(local) && readInstant(local) === iso ? local : iso
}

/** An instant as `datetime-local` fields want it: 2026-03-01T12:30:05.120, on the reader's clock. */
export function localInstant(iso: string): string {
  const instant = new Date(iso)
  if (Number.isNaN(instant.getTime())) return iso
  const shifted = new Date(instant.getTime() - instant.getTimezoneOffset() * 60_000)
  return shifted.toISOString().slice(0, -1)
}
