/** The values of a query's parameters, from what was typed in the form to what the API takes. */

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
export type ParameterValue = Scalar | Scalar[]
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

/**
 * Reads every field; a list has one value a line. What cannot be read is sent as it is typed and what is left empty is
 * left out, so that the one who knows the rules explains them: the server.
 */
export function readParameters(
  parameters: readonly ParameterShape[],
  typed: Readonly<Record<string, string>>,
): Record<string, ParameterValue> {
  const values: Record<string, ParameterValue> = {}
  for (const parameter of parameters) {
    const text = typed[parameter.name]
    const kind = kindOf(parameter)
    if (text === undefined || (text === '' && kind !== 'text' && !isList(parameter))) continue
    values[parameter.name] = isList(parameter)
      ? text
          .split('\n')
          .filter((line) => line.trim() !== '')
          .map((item) => readValue(kind, item))
      : readValue(kind, text)
  }
  return values
}

function readValue(kind: ParameterKind, text: string): Scalar {
  const trimmed = text.trim()
  switch (kind) {
    case 'boolean':
      return trimmed.toLowerCase() === 'true' ? true : trimmed.toLowerCase() === 'false' ? false : trimmed
    case 'number':
      return readNumber(trimmed)
    case 'timestamp':
      return readInstant(trimmed)
    case 'bytes':
      return { $base64: trimmed }
    case 'text':
      return text
  }
}

/** A whole number beyond 2^53 is sent as its digits: JavaScript would send its neighbour. */
function readNumber(text: string): string | number {
  const value = Number(text)
  if (text === '' || !Number.isFinite(value)) return text
  return /^[+-]?\d+$/.test(text) && !Number.isSafeInteger(value) ? text.replace('+', '') : value
}

/** A time without a zone is on the reader's clock; what is sent is UTC. */
function readInstant(text: string): string {
  const instant = new Date(text)
  return Number.isNaN(instant.getTime()) ? text : instant.toISOString()
}

/** What a field shows for a value: lists one item a line, times on the reader's clock. */
export function writeParameter(parameter: ParameterShape, value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map((item) => writeParameter({ ...parameter, max_items: null }, item)).join('\n')
  if (kindOf(parameter) === 'timestamp' && typeof value === 'string') return localInstant(value)
  if (typeof value === 'object' && '$base64' in value) return String(value.$base64)
  return typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean)
}

/** An instant as `datetime-local` fields want it: 2026-03-01T12:30:05.120, on the reader's clock. */
export function localInstant(iso: string): string {
  const instant = new Date(iso)
  if (Number.isNaN(instant.getTime())) return iso
  const shifted = new Date(instant.getTime() - instant.getTimezoneOffset() * 60_000)
  return shifted.toISOString().slice(0, -1)
}
