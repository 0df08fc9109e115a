// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { useNotices } from '../app/notices'
import {
  applyTextEdits,
  documentAt,
  keepMineAsCopy,
  openApplication,
  setText,
  takeRestored,
  takeTheirs,
  useDocuments,
} from './documents'
import { saveChanged, savedRevisions } from './saving'

const PATH = 'schema.piql'
const server = (text: string, revision = 'r1') => [{ path: PATH, text, revision }]

/** Answers each request in turn; an `Error` stands for a server that is away. */
function answers(...queue: ([number, unknown] | Error)[]): void {
  vi.stubGlobal(
    'fetch',
    vi.fn(() => {
      const next = queue.shift()
      if (!next || next instanceof Error) return Promise.reject(next ?? new TypeError('nothing was expected'))
      return Promise.resolve(
        new Response(JSON.stringify(next[1]), { status: next[0], headers: { 'content-type': 'application/json' } }),
      )
    }),
  )
}

/** As after a reload: the page forgets, the browser's storage does not. */
function reload(text: string, revision = 'r1'): void {
  useDocuments.setState({ application: null, files: [], restored: [] })
  openApplication('scadr', server(text, revision))
}

beforeEach(() => {
  localStorage.clear()
  vi.useFakeTimers()
  useDocuments.setState({ application: null, files: [], version: 0, restored: [] })
  openApplication('scadr', server('one'))
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

describe('a save', () => {
  it('waits for the one before it, so that its own text is never taken for another’s', async () => {
    const asked: { base: string; answer: (response: Response) => void }[] = []
    vi.stubGlobal('fetch', async (request: Request) => {
      const { base_revision } = (await request.json()) as { base_revision: string }
      return new Promise<Response>((answer) => asked.push({ base: base_revision, answer }))
    })
    const respond = (text: string, revision: string) =>
      asked.at(-1)?.answer(
        new Response(JSON.stringify({ path: PATH, text, revision }), {
          status: 200,
          headers: { 'content-type': 'application/json' },
        }),
      )
    setText(PATH, 'two')
    const first = saveChanged()
    await vi.waitFor(() => expect(asked).toHaveLength(1), { timeout: 60_000 })
    setText(PATH, 'three')
    const second = saveChanged()
    await vi.advanceTimersByTimeAsync(50)
    expect(asked).toHaveLength(1)
    respond('two', 'r2')
    await first
    await vi.waitFor(() => expect(asked).toHaveLength(2), { timeout: 60_000 })
    respond('three', 'r3')
    await second
    expect(asked.map(({ base }) => base)).toEqual(['r1', 'r2'])
    expect(documentAt(PATH)).toMatchObject({ saveState: 'saved', revision: 'r3' })
  })

  it('whose answer got lost is not taken for a change elsewhere', async () => {
    setText(PATH, 'two')
    answers(new TypeError('the connection broke'))
    await saveChanged()
    setText(PATH, 'two three')
    const current = { path: PATH, text: 'two', revision: 'r2' }
    answers(
      [409, { code: 'file-changed', message: 'changed', current }],
      [200, { path: PATH, text: 'two three', revision: 'r3' }],
    )
    await saveChanged()
    expect(documentAt(PATH)).toMatchObject({ text: 'two three', revision: 'r2', saveState: 'changed', conflict: null })
    await saveChanged()
    expect(documentAt(PATH)).toMatchObject({ saveState: 'saved', revision: 'r3' })
  })

  it('of a file that was deleted elsewhere makes it anew', async () => {
    setText(PATH, 'two')
    answers(
      [404, { code: 'unknown-file', message: 'There is no file schema.piql.' }],
      [201, { path: PATH, text: 'two', revision: 'r2' }],
    )
    await saveChanged()
    expect(documentAt(PATH)).toMatchObject({ text: 'two', revision: null, saveState: 'changed' })
    await saveChanged()
    expect(documentAt(PATH)).toMatchObject({ saveState: 'saved', revision: 'r2' })
  })

  it('that is refused says why, and keeps the text here, until it is saved', async () => {
    setText(PATH, 'two')
    answers(
      [422, { code: 'invalid-request', message: 'text: too long' }],
      [200, { path: PATH, text: '2', revision: 'r2' }],
    )
    await saveChanged()
    expect(documentAt(PATH)).toMatchObject({ text: 'two', saveState: 'failed' })
    const errorsInSight = () => {
      const { all, shown } = useNotices.getState()
      return all.filter(({ id, tone }) => tone === 'danger' && shown.includes(id)).map(({ text }) => text)
    }
    expect(errorsInSight()).toEqual([`${PATH} is kept in this browser only. text: too long`])
    setText(PATH, '2')
    await saveChanged()
    expect(errorsInSight()).toEqual([])
  })
})

describe('drafts that were restored', () => {
  it('can be discarded after they were saved, and are told of once', async () => {
    useDocuments.setState({ restored: [PATH] })
    const { paths, discard } = takeRestored()
    expect([paths, takeRestored().paths]).toEqual([[PATH], []])
    setText(PATH, 'restored')
    answers([200, { path: PATH, text: 'restored', revision: 'r2' }])
    await saveChanged()
    discard()
    expect(documentAt(PATH)).toMatchObject({ text: 'one', savedText: 'restored', saveState: 'changed' })
  })
})

describe('an application that is read again', () => {
  const readAgain = (text: string, revision: string) => openApplication('scadr', server(text, revision))

  it('changes what is saved here and was changed elsewhere', () => {
    readAgain('elsewhere', 'r2')
    expect(documentAt(PATH)).toMatchObject({ text: 'elsewhere', revision: 'r2', saveState: 'saved' })
  })

  it('says which texts have followed, and counts nothing as changed where nothing has', () => {
    expect(readAgain('one', 'r1')).toEqual([])
    const { version } = useDocuments.getState()
    expect(readAgain('one', 'r1')).toEqual([])
    expect(useDocuments.getState().version).toBe(version)
    expect(readAgain('theirs', 'r2')).toEqual([PATH])
    expect(documentAt(PATH)).toMatchObject({ text: 'theirs', saveState: 'saved' })
  })

  it('keeps what is unsaved here, and asks where both have changed', () => {
    setText(PATH, 'mine')
    readAgain('one', 'r1')
    expect(documentAt(PATH)).toMatchObject({ text: 'mine', saveState: 'changed' })
    readAgain('theirs', 'r2')
    expect(documentAt(PATH)).toMatchObject({ text: 'mine', saveState: 'conflict', conflict: { text: 'theirs' } })
  })

  it('keeps what is unsaved here of a file that is gone, and lets go of the saved ones', () => {
    openApplication('scadr', [...server('one'), { path: 'queries/q.piql', text: '', revision: 'q1' }])
    setText(PATH, 'mine')
    openApplication('scadr', [])
    expect(useDocuments.getState().files).toMatchObject([
      { path: PATH, text: 'mine', revision: null, saveState: 'changed' },
    ])
  })
})

describe('a conflict', () => {
  beforeEach(async () => {
    setText(PATH, 'mine')
    answers([
      409,
      { code: 'file-changed', message: 'changed elsewhere', current: { path: PATH, text: 'theirs', revision: 'r2' } },
    ])
    await saveChanged()
  })

  it('keeps both texts until one is chosen', () => {
    expect(documentAt(PATH)).toMatchObject({ text: 'mine', saveState: 'conflict', conflict: { text: 'theirs' } })
  })

  it('ends with theirs, and with mine in a file beside it', () => {
    const copy = keepMineAsCopy(PATH)
    expect(copy).toBe(PATH.replace('.piql', '.mine.piql'))
    expect(documentAt(PATH)).toMatchObject({ text: 'theirs', revision: 'r2', saveState: 'saved', conflict: null })
    expect(documentAt(copy ?? '')).toMatchObject({ text: 'mine', revision: null, saveState: 'changed', conflict: null })
  })

  it('is not on the way to the server, and no text of it can be deployed', async () => {
    await saveChanged()
    expect(documentAt(PATH)?.saveState).toBe('conflict')
    expect(savedRevisions()).toBeNull()
    takeTheirs(PATH)
    expect(savedRevisions()).toEqual({ [PATH]: 'r2' })
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

describe('what was typed in another tab that is gone', () => {
  it('is kept beside what was typed here, and both are said to be restored', () => {
    setText(PATH, 'typed here')
    const theirs = { tab: 'gone', path: PATH, text: 'typed there', baseRevision: 'r1', at: 1 }
    localStorage.setItem(`piql:draft:scadr:gone:${PATH}`, JSON.stringify(theirs))
    reload('one')
    expect(documentAt(PATH)?.text).toBe('typed here')
    expect(documentAt('schema.mine.piql')).toMatchObject({ text: 'typed there', saveState: 'changed' })
    expect(useDocuments.getState().restored).toEqual([PATH, 'schema.mine.piql'])
  })

  it('comes to the tab that is open already, and does not touch what is typed in it', () => {
    localStorage.setItem('piql:tab:open', String(Date.now()))
    for (const path of [PATH, 'queries/new.piql'])
      localStorage.setItem(
        `piql:draft:scadr:open:${path}`,
        JSON.stringify({ tab: 'open', path, text: 'typed there', baseRevision: null, at: 1 }),
      )
    reload('one')
    setText(PATH, 'typed here')
    const openAgain = () => openApplication('scadr', server('one'))
    openAgain()
    expect(documentAt('queries/new.piql')).toBeUndefined()
    localStorage.removeItem('piql:tab:open')
    openAgain()
    openAgain()
    expect(documentAt(PATH)?.text).toBe('typed here')
    expect(documentAt('schema.mine.piql')).toMatchObject({ text: 'typed there', saveState: 'changed' })
    expect(documentAt('queries/new.piql')).toMatchObject({ text: 'typed there', saveState: 'changed' })
    expect(useDocuments.getState().restored).toEqual(['schema.mine.piql', 'queries/new.piql'])
  })

  it.each([
    ['r1', 'changed'],
    ['r0', 'conflict'],
  ])('comes over the saved text of the open tab: typed over %s, it is a %s text', (baseRevision, saveState) => {
    const draft = { tab: 'gone', path: PATH, text: 'typed there', baseRevision, at: 1 }
    localStorage.setItem(`piql:draft:scadr:gone:${PATH}`, JSON.stringify(draft))
    openApplication('scadr', server('one'))
    expect(documentAt(PATH)).toMatchObject({ text: 'typed there', savedText: 'one', saveState })
  })

  it('stays with it while it is open', () => {
    localStorage.setItem('piql:tab:open', String(Date.now()))
    localStorage.setItem(
      `piql:draft:scadr:open:${PATH}`,
      JSON.stringify({ tab: 'open', path: PATH, text: 'typed there', baseRevision: 'r1', at: 1 }),
    )
    reload('one')
    expect(documentAt(PATH)?.text).toBe('one')
    expect(localStorage.getItem(`piql:draft:scadr:open:${PATH}`)).toContain('typed there')
  })
})
