// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { applyTextEdits, documentAt, keepMine, openWorkspace, setText, takeTheirs, useDocuments } from './documents'
import { saveChanged } from './saving'

const PATH = 'schema.piql'
const server = (text: string, revision = 'r1') => [{ path: PATH, text, revision }]

/** Answers each request in turn; an `Error` stands for a server that is away. */
function answers(...queue: ([number, unknown] | Error)[]): void {
  vi.stubGlobal(
    'fetch',
    vi.fn(() => {
      const next = queue.shift()
      if (!next || next instanceof Error) return Promise.reject(next ?? new TypeError('nothing was expected'))
      return Promise.resolve(new Response(JSON.stringify(next[1]), { status: next[0], headers: { 'content-type': 'application/json' } }))
    }),
  )
}

/** As after a reload: the page forgets, the browser's storage does not. */
function reload(text: string, revision = 'r1'): void {
  useDocuments.setState({ workspace: null, files: [], restored: [] })
  openWorkspace('scadr', server(text, revision))
}

beforeEach(() => {
  localStorage.clear()
  vi.useFakeTimers()
  useDocuments.setState({ workspace: null, files: [], version: 0, restored: [] })
  openWorkspace('scadr', server('one'))
})

afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

describe('what was typed', () => {
  it('survives a reload before it was saved, and is said to be restored', () => {
    setText(PATH, 'one two')
    reload('one')
    expect(documentAt(PATH)?.text).toBe('one two')
    expect(useDocuments.getState().restored).toEqual([PATH])
  })

  it('is a draft no more once the server has it', async () => {
    setText(PATH, 'two')
    answers([200, { path: PATH, text: 'two', revision: 'r2' }])
    await saveChanged()
    expect(documentAt(PATH)).toMatchObject({ saveState: 'saved', revision: 'r2' })
    reload('two', 'r2')
    expect(useDocuments.getState().restored).toEqual([])
  })

  it('stays here while the server is away', async () => {
    setText(PATH, 'two')
    answers(new TypeError('connection refused'))
    await saveChanged()
    expect(documentAt(PATH)).toMatchObject({ text: 'two', saveState: 'failed' })
    reload('one')
    expect(documentAt(PATH)?.text).toBe('two')
  })

  it('during a save is kept for the next one', async () => {
    setText(PATH, 'two')
    answers([200, { path: PATH, text: 'two', revision: 'r2' }])
    const saving = saveChanged()
    setText(PATH, 'two three')
    await saving
    expect(documentAt(PATH)).toMatchObject({ text: 'two three', savedText: 'two', saveState: 'changed' })
  })
})

describe('a conflict', () => {
  beforeEach(async () => {
    setText(PATH, 'mine')
    answers([409, { code: 'revision-conflict', message: 'changed elsewhere' }], [200, { id: 'scadr', title: 'SCADr', files: server('theirs', 'r2') }])
    await saveChanged()
  })

  it('keeps both texts until one is chosen', () => {
    expect(documentAt(PATH)).toMatchObject({ text: 'mine', saveState: 'conflict', conflict: { text: 'theirs' } })
  })

  it('ends with mine, based on their revision', () => {
    keepMine(PATH)
    expect(documentAt(PATH)).toMatchObject({ text: 'mine', revision: 'r2', saveState: 'changed', conflict: null })
  })

  it('ends with theirs', () => {
    takeTheirs(PATH)
    expect(documentAt(PATH)).toMatchObject({ text: 'theirs', revision: 'r2', saveState: 'saved', conflict: null })
  })
})

describe('edits', () => {
  it('change each file they name and count as a change', () => {
    const { version } = useDocuments.getState()
    applyTextEdits([{ range: { file: PATH, start_line: 1, start_column: 1, end_line: 1, end_column: 4 }, text: 'ONE' }])
    expect(documentAt(PATH)?.text).toBe('ONE')
    expect(useDocuments.getState().version).toBe(version + 1)
  })
})
