// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { documentAt, openApplication, setText, useDocuments } from './documents'
import { takeRead } from './opening'
import { type ApplicationRead, readApplication, saveChanged } from './saving'

const PATH = 'schema.piql'
const stored = { path: PATH, text: 'one', revision: 'r1' }

/** The server: it keeps one file, and each save gives it the next revision. */
function serve(): void {
  vi.stubGlobal(
    'fetch',
    vi.fn(async (request: Request) => {
      const file = request.method === 'PUT' ? await save(request) : undefined
      const body = file ?? { id: 'scadr', title: 'SCADr', files: [{ ...stored }], next: null }
      return new Response(JSON.stringify(body), { status: 200, headers: { 'content-type': 'application/json' } })
    }),
  )
}

async function save(request: Request): Promise<typeof stored> {
  stored.text = ((await request.json()) as { text: string }).text
  stored.revision = `r${Number(stored.revision.slice(1)) + 1}`
  return { ...stored }
}

const read = (): Promise<ApplicationRead> => readApplication('scadr', new AbortController().signal)

beforeEach(() => {
  localStorage.clear()
  Object.assign(stored, { text: 'one', revision: 'r1' })
  serve()
  useDocuments.setState({ application: null, files: [], version: 0, restored: [] })
  openApplication('scadr', [{ ...stored }])
})

afterEach(() => vi.unstubAllGlobals())

it('an answer from before a save that has ended here is not taken, and nothing typed goes back', async () => {
  const before = await read()
  setText(PATH, 'one two')
  await saveChanged()
  expect(takeRead(before)).toBeNull()
  expect(documentAt(PATH)).toMatchObject({ text: 'one two', revision: 'r2', saveState: 'saved' })
  expect(takeRead(await read())).toEqual([])
})

it('such an answer is no conflict for what was typed since', async () => {
  const before = await read()
  setText(PATH, 'one two')
  await saveChanged()
  setText(PATH, 'one two three')
  expect(takeRead(before)).toBeNull()
  expect(documentAt(PATH)).toMatchObject({ text: 'one two three', saveState: 'changed', conflict: null })
})

it('an application that is not open yet is taken whatever was written before', async () => {
  const before = await read()
  setText(PATH, 'one two')
  await saveChanged()
  useDocuments.setState({ application: null, files: [] })
  expect(takeRead(before)).toEqual([])
  expect(documentAt(PATH)?.revision).toBe('r1')
})
