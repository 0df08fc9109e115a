/**
 * What is said over the socket of a live session, as bytes: the protocols of Yjs, and three kinds that only the server
 * says. The server's side is backend/src/piql_backend/live_sessions/messages.py.
 */
import { createDecoder, readVarString, readVarUint, readVarUint8Array } from 'lib0/decoding'
import { createEncoder, toUint8Array, writeVarUint, writeVarUint8Array } from 'lib0/encoding'

const SYNC = 0
const PRESENCE = 1
const ASKS = 0
const ANSWERS = 1
const EDITS = 2
const DOCUMENT = 100
const SAVED = 101
const NOT_SAVED = 102

/** A message of the server. */
export type Received =
  | { kind: 'document'; document: string; revision: string; mayWrite: boolean }
  | { kind: 'vector'; content: Uint8Array }
  | { kind: 'update'; content: Uint8Array; isAnswer: boolean }
  | { kind: 'presence'; content: Uint8Array }
  | { kind: 'saved'; revision: string; messages: number; isCurrent: boolean }
  | { kind: 'not saved'; reason: string }

/** What the server says; null for a message of a kind that this page does not know. */
export function readMessage(bytes: Uint8Array): Received | null {
  const decoder = createDecoder(bytes)
  const kind = readVarUint(decoder)
  if (kind === PRESENCE) return { kind: 'presence', content: readVarUint8Array(decoder) }
  if (kind === SYNC) {
    const step = readVarUint(decoder)
    const content = readVarUint8Array(decoder)
    return step === ASKS ? { kind: 'vector', content } : { kind: 'update', content, isAnswer: step === ANSWERS }
  }
  if (kind !== DOCUMENT && kind !== SAVED && kind !== NOT_SAVED) return null
  const fields = JSON.parse(readVarString(decoder)) as Record<string, unknown>
  const revision = String(fields['revision'] ?? '')
  if (kind === DOCUMENT)
    return { kind: 'document', document: String(fields['document']), revision, mayWrite: fields['may_write'] === true }
  if (kind === SAVED)
    return { kind: 'saved', revision, messages: Number(fields['messages']), isCurrent: fields['is_current'] === true }
  return { kind: 'not saved', reason: String(fields['reason']) }
}

/** Which edits this page has: the server answers with the others. */
export const asking = (vector: Uint8Array) => message([SYNC, ASKS], vector)

/** The edits that the server lacks. */
export const answering = (update: Uint8Array) => message([SYNC, ANSWERS], update)

/** Edits that were made just now. */
export const edits = (update: Uint8Array) => message([SYNC, EDITS], update)

/** Who is on this page, and where. */
export const presence = (update: Uint8Array) => message([PRESENCE], update)

function message(kinds: readonly number[], content: Uint8Array): Uint8Array<ArrayBuffer> {
  const encoder = createEncoder()
  for (const kind of kinds) writeVarUint(encoder, kind)
  writeVarUint8Array(encoder, content)
  return toUint8Array(encoder) as Uint8Array<ArrayBuffer>
}
