import { expect, test } from 'vitest'
import { answering, asking, edits, presence, readMessage } from './messages'

const CONTENT = new Uint8Array([7, 8, 9])

const ofServer = (kind: number, fields: object) => {
  const json = new TextEncoder().encode(JSON.stringify(fields))
  return new Uint8Array([kind, json.length, ...json])
}

test('what is written is what is read', () => {
  expect(readMessage(asking(CONTENT))).toEqual({ kind: 'vector', content: CONTENT })
  expect(readMessage(answering(CONTENT))).toEqual({ kind: 'update', content: CONTENT, isAnswer: true })
  expect(readMessage(edits(CONTENT))).toEqual({ kind: 'update', content: CONTENT, isAnswer: false })
  expect(readMessage(presence(CONTENT))).toEqual({ kind: 'presence', content: CONTENT })
})

test('edits are written as the protocol of Yjs has them', () => {
  expect([...edits(CONTENT)]).toEqual([0, 2, 3, 7, 8, 9])
})

test('the server says which document it is, what is saved and what is not', () => {
  expect(readMessage(ofServer(100, { document: 'd', revision: 'r', may_write: true }))).toEqual({
    kind: 'document',
    document: 'd',
    revision: 'r',
    mayWrite: true,
  })
  expect(readMessage(ofServer(101, { revision: 'r', messages: 3, is_current: false }))).toEqual({
    kind: 'saved',
    revision: 'r',
    messages: 3,
    isCurrent: false,
  })
  expect(readMessage(ofServer(102, { reason: 'The disk is full.' }))).toEqual({
    kind: 'not saved',
    reason: 'The disk is full.',
  })
})

test('a message of a later server is left out', () => {
  expect(readMessage(ofServer(103, {}))).toBeNull()
})
