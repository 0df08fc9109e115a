// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ApiError } from '../api/client'
import { deleteFile } from './deleting'
import { documentAt, openApplication, setText, useDocuments } from './documents'

const PATH = 'schema.piql'
let asked: string[] = []

/** Answers each request in turn, and keeps the method and address of each. */
function answers(...queue: Response[]): void {
  asked = []
  vi.stubGlobal('fetch', async (request: Request) => {
    await request.text()
    const { pathname, search } = new URL(request.url)
    asked.push(`${request.method} ${pathname}${search}`)
    return queue.shift() ?? Response.error()
  })
}

beforeEach(() => {
  localStorage.clear()
  useDocuments.setState({ application: null, files: [], version: 0, restored: [] })
  openApplication('scadr', [{ path: PATH, text: 'one', revision: 'r1' }])
})

afterEach(() => {
  vi.unstubAllGlobals()
})

it('names the revision that is known here', async () => {
  answers(new Response(null, { status: 204 }))
  await deleteFile('scadr', PATH)
  expect(asked).toEqual([`DELETE /api/applications/scadr/files/${PATH}?base_revision=r1`])
  expect(documentAt(PATH)).toBeUndefined()
})

it('names the revision of what was typed last, once that is saved', async () => {
  setText(PATH, 'two')
  answers(Response.json({ path: PATH, text: 'two', revision: 'r2' }), new Response(null, { status: 204 }))
  await deleteFile('scadr', PATH)
  expect(asked[1]).toBe(`DELETE /api/applications/scadr/files/${PATH}?base_revision=r2`)
})

it('leaves a file that was changed elsewhere', async () => {
  const current = { path: PATH, text: 'theirs', revision: 'r2' }
  answers(Response.json({ code: 'file-changed', message: 'changed', help: null, current }, { status: 409 }))
  await expect(deleteFile('scadr', PATH)).rejects.toThrow(ApiError)
  expect(documentAt(PATH)?.text).toBe('one')
})
