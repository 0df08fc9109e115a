// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import DataPanel, { aboutOf } from './DataPanel'

const COLUMNS = [
  { name: 'id', type: 'BIGINT', is_nullable: false, has_default: false, is_key: true },
  { name: 'note', type: 'VARCHAR(9)', is_nullable: true, has_default: true, is_key: false },
]
const TABLE = {
  name: 'notes',
  columns: COLUMNS,
  primary_key: ['id'],
  unique_keys: [],
  foreign_keys: [],
  limits: [],
  filters: [['id']],
  rows_estimate: 3,
}
const ROWS = [
  ['9007199254740993', 'a'],
  ['9007199254740995', null],
  ['9007199254740997', ''],
]

interface Sent {
  method: string
  path: string
  search: URLSearchParams
  body: unknown
}

let sent: Sent[]
let refusal: object | null
let storedRows: (string | null)[][]
let queryClient: QueryClient

async function answer(request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url)
  const text = await request.text()
  sent.push({ method: request.method, path: pathname, search: searchParams, body: text ? JSON.parse(text) : null })
  if (pathname.endsWith('/tables')) return Response.json({ items: [TABLE] })
  if (request.method !== 'GET')
    return refusal
      ? Response.json(refusal, { status: 422 })
      : Response.json({ operations: 2, bound_operations: 2 }, { status: 201 })
  const isSecond = searchParams.has('cursor')
  return Response.json({
    table: 'notes',
    columns: COLUMNS,
    rows: searchParams.has('filter') ? storedRows.slice(0, 1) : isSecond ? ROWS.slice(2) : storedRows,
    cursor: isSecond ? null : 'c1',
    operations: 1,
    index: null,
  })
}

beforeEach(() => {
  sent = []
  refusal = null
  storedRows = ROWS
  queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  vi.stubGlobal('fetch', answer)
  render(
    <QueryClientProvider client={queryClient}>
      <DataPanel />
    </QueryClientProvider>,
  )
})

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const grid = () => screen.findByRole('grid', { name: 'Rows of notes' })
const cells = async () => within(await grid()).getAllByRole('cell') // what a browser calls a gridcell
const last = () => sent.filter(({ method }) => method !== 'GET').at(-1)

describe('the grid', () => {
  it('tells NULL from an empty text, keeps all digits, and says what the page took', async () => {
    expect((await cells()).map(({ textContent }) => textContent)).toEqual([
      '9007199254740993',
      'a',
      '9007199254740995',
      'NULL',
      '9007199254740997',
      'empty text',
    ])
    expect(screen.getByText('1 operation')).toBeTruthy()
  })

  it('has one stop of Tab, and its cells are reached by the arrow keys', async () => {
    const all = await cells()
    all[0]?.focus()
    for (const key of ['ArrowDown', 'ArrowRight', 'ArrowRight']) fireEvent.keyDown(await grid(), { key })
    expect(document.activeElement).toBe(all[3])
    expect(all.filter(({ tabIndex }) => tabIndex === 0)).toEqual([all[3]])
    fireEvent.keyDown(await grid(), { key: 'End', ctrlKey: true })
    expect(document.activeElement).toBe(all[5])
  })

  it('goes to the next page by the cursor, and back', async () => {
    await grid()
    fireEvent.click(screen.getByRole('button', { name: 'Next page' }))
    await waitFor(async () => expect(await cells()).toHaveLength(2))
    expect(sent.at(-1)?.search.get('cursor')).toBe('c1')
    fireEvent.click(screen.getByRole('button', { name: 'Previous page' }))
    await waitFor(async () => expect(await cells()).toHaveLength(6))
  })

  it('is filtered by what the key serves, with all digits', async () => {
    await grid()
    fireEvent.change(screen.getByLabelText('id equals'), { target: { value: '9007199254740993' } })
    fireEvent.submit(screen.getByRole('form', { name: 'Filter' }))
    await waitFor(() => expect(sent.at(-1)?.search.get('filter')).toBe('{"id":"9007199254740993"}'))
  })
})

describe('a row', () => {
  it('is changed in the columns that were changed, with what was seen', async () => {
    fireEvent.keyDown((await cells())[0] ?? document.body, { key: 'Enter' })
    fireEvent.change(screen.getByLabelText('note'), { target: { value: 'b' } })
    fireEvent.submit(screen.getByRole('form', { name: 'Edit a row of notes' }))
    await screen.findByText(/^Changed: 2 of/)
    expect(last()?.body).toEqual({
      key: { id: '9007199254740993' },
      values: { note: 'b' },
      seen: { id: '9007199254740993', note: 'a' },
    })
  })

  it('is refused at the column that the server names', async () => {
    refusal = { code: 'constraint-violation', message: 'too long.', help: null, parameter: 'note' }
    await grid()
    fireEvent.click(screen.getByRole('button', { name: 'Add' }))
    fireEvent.change(screen.getByLabelText('id'), { target: { value: '7' } })
    fireEvent.submit(screen.getByRole('form', { name: 'New row of notes' }))
    await waitFor(() => expect(screen.getByLabelText('note').getAttribute('aria-invalid')).toBe('true'))
    expect(screen.getByText('too long.')).toBeTruthy()
    expect(last()?.body).toEqual({ values: { id: 7 } })
  })

  it('leaves out a column that has a DEFAULT, until something is typed', async () => {
    await grid()
    fireEvent.click(screen.getByRole('button', { name: 'Add' }))
    fireEvent.change(screen.getByLabelText('id'), { target: { value: '7' } })
    expect(screen.getByRole('button', { name: 'DEFAULT as note' }).getAttribute('aria-pressed')).toBe('true')
    fireEvent.submit(screen.getByRole('form', { name: 'New row of notes' }))
    await waitFor(() => expect(last()?.body).toEqual({ values: { id: 7 } }))
  })

  it('may have NULL where a column has a DEFAULT', async () => {
    await grid()
    fireEvent.click(screen.getByRole('button', { name: 'Add' }))
    fireEvent.change(screen.getByLabelText('id'), { target: { value: '7' } })
    fireEvent.click(screen.getByRole('button', { name: 'NULL as note' }))
    fireEvent.submit(screen.getByRole('form', { name: 'New row of notes' }))
    await waitFor(() => expect(last()?.body).toEqual({ values: { id: 7, note: null } }))
  })

  it('that was changed meanwhile is shown as it is now, and what was typed stays', async () => {
    fireEvent.keyDown((await cells())[0] ?? document.body, { key: 'Enter' })
    fireEvent.change(screen.getByLabelText('note'), { target: { value: 'b' } })
    refusal = { code: 'condition-failed', message: 'It was changed meanwhile.', help: null, parameter: null }
    storedRows = [['9007199254740993', 'c']]
    fireEvent.submit(screen.getByRole('form', { name: 'Edit a row of notes' }))
    await screen.findByText('It was changed meanwhile.')
    expect(screen.getByLabelText<HTMLInputElement>('note').value).toBe('b')
    await waitFor(() => expect(sent.at(-1)?.search.has('filter')).toBe(true))
    await act(() => new Promise((resolve) => setTimeout(resolve, 50))) // the answer comes into the form
    refusal = null
    fireEvent.submit(screen.getByRole('form', { name: 'Edit a row of notes' }))
    await screen.findByText(/^Changed: 2 of/)
    expect(last()?.body).toMatchObject({ values: { note: 'b' }, seen: { note: 'c' } })
  })

  it('stays the one that was asked about when rows come before it', async () => {
    fireEvent.keyDown((await cells())[0] ?? document.body, { key: 'Delete' })
    storedRows = [['1', 'new'], ...ROWS]
    await act(() => queryClient.invalidateQueries())
    expect((await cells())[0]?.textContent).toBe('1')
    expect(screen.getByText('Delete the row with id = 9007199254740993?')).toBeTruthy()
  })

  it('is deleted once that was asked, if it is as it was seen', async () => {
    fireEvent.keyDown((await cells())[0] ?? document.body, { key: 'Delete' })
    expect(last()).toBeUndefined()
    fireEvent.submit(screen.getByRole('form', { name: 'Delete a row of notes' }))
    await screen.findByText(/^Deleted/)
    expect(last()?.body).toEqual({ key: { id: '9007199254740993' }, seen: { id: '9007199254740993', note: 'a' } })
  })
})

it('says no count of rows where the store estimates none', () => {
  expect(aboutOf(TABLE)).toBe('about 3 rows · key id')
  expect(aboutOf({ ...TABLE, rows_estimate: 0 })).toBe('key id')
})
