// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { replaceView } from '../../app/url-state'
import { AdHoc } from './AdHoc'

const EXECUTION = {
  query: 'select',
  deployment_id: 'd1',
  columns: [{ name: 'id', type: 'INT' }],
  rows: [[7]],
  cursor: null,
  operations: 1,
  bound_operations: 2,
  round_trips: 1,
  attempts: 1,
  repair_operations: 0,
  elapsed_ms: 3.2,
  rows_affected: null,
}
const READ = { parameters: [], operations: 2, formula: '2', indexes: [], execution: EXECUTION }
const ID = { name: 'id', type: 'INT', kind: 'INT', ordinal: 1, max_value: null, max_items: null, range: null }

beforeEach(() => replaceView({ application: 'shop', environment: 'development', panel: 'data' }))

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

/** Shows the form over a server that gives these answers in turn; returns the bodies that it was sent, with paths. */
function show(...answers: { status?: number; body: object }[]): { path: string; body: unknown }[] {
  const sent: { path: string; body: unknown }[] = []
  vi.stubGlobal('fetch', async (request: Request) => {
    sent.push({ path: new URL(request.url).pathname, body: await request.json() })
    const { status = 200, body } = answers[Math.min(sent.length, answers.length) - 1] ?? { body: {} }
    return Response.json(body, { status })
  })
  render(
    <QueryClientProvider client={new QueryClient()}>
      <AdHoc table="items" onClose={() => undefined} />
    </QueryClientProvider>,
  )
  return sent
}

function run(text: string): void {
  fireEvent.change(screen.getByLabelText('SELECT over the live tables and indexes'), { target: { value: text } })
  fireEvent.submit(screen.getByRole('form', { name: 'Run a SELECT' }))
}

it('a SELECT without parameters runs at once, and its requests stand beside its bound', async () => {
  const sent = show({ body: READ })
  run('SELECT 7')
  expect((await screen.findByRole('region', { name: 'Result' })).textContent).toContain('1 of ≤ 2 operations')
  expect(sent.map(({ body }) => body)).toEqual([{ text: 'SELECT 7', parameters: null, cursor: null }])
})

it('parameters get fields, and it runs with their values', async () => {
  const sent = show({ body: { ...READ, parameters: [ID], execution: null } }, { body: { ...READ, parameters: [ID] } })
  run('SELECT [1: id]')
  fireEvent.change(await screen.findByLabelText('id'), { target: { value: '7' } })
  expect(screen.getByRole('status').textContent).toContain('a bound of ≤ 2 operations')
  fireEvent.submit(screen.getByRole('form', { name: 'Run a SELECT' }))
  await screen.findByRole('region', { name: 'Result' })
  expect(sent[1]?.body).toEqual({ text: 'SELECT [1: id]', parameters: { id: 7 }, cursor: null })
})

it('a value that does not fit is said at its field, which stays', async () => {
  const refused = { code: 'invalid-parameter', message: '[id] is "x": expected an INT', parameter: 'id' }
  show({ body: { ...READ, parameters: [ID] } }, { status: 422, body: refused })
  run('SELECT [1: id]')
  const field = await screen.findByLabelText('id')
  fireEvent.change(field, { target: { value: 'x' } })
  fireEvent.submit(screen.getByRole('form', { name: 'Run a SELECT' }))
  await waitFor(() => expect(field.getAttribute('aria-invalid')).toBe('true'))
  expect(screen.queryByRole('region', { name: 'Result' })).toBeNull()
})

it('a refusal shows what the compiler says, with its fixes, and no rows', async () => {
  const range = { file: '', start: 0, end: 1, start_line: 2, start_column: 1, end_line: 2, end_column: 2 }
  const finding = {
    code: 'unbounded-scan',
    severity: 'error',
    message: 'nothing limits how many there are',
    help: ['limit them'],
    range,
    labels: [],
    fixes: [{ title: 'Add LIMIT 10', consequence: 'ten at most', cost: '≤ 1' }],
  }
  show(
    { body: READ },
    { status: 422, body: { code: 'select-refused', message: 'no', help: 'Nothing was run.', diagnostics: [finding] } },
  )
  run('SELECT 7')
  await screen.findByRole('region', { name: 'Result' })
  run('SELECT everything')
  const alert = await screen.findByRole('alert')
  for (const text of [
    'nothing limits how many there are',
    'line 2',
    'limit them',
    'Fix: Add LIMIT 10 · ten at most · ≤ 1',
  ])
    expect(alert.textContent).toContain(text)
  expect(screen.getByText('Nothing was run.')).toBeTruthy()
  expect(screen.queryByRole('region', { name: 'Result' })).toBeNull()
})

it('it becomes a query of the application only on request', async () => {
  const sent = show({ body: { path: 'queries/all.piql', text: '', revision: 'r' } })
  fireEvent.change(screen.getByLabelText('SELECT over the live tables and indexes'), { target: { value: 'SELECT 7;' } })
  fireEvent.click(screen.getByRole('button', { name: 'Save as query…' }))
  const name = screen.getByLabelText('Name of the query')
  fireEvent.change(name, { target: { value: 'not a name' } })
  fireEvent.keyDown(name, { key: 'Enter' })
  expect(sent).toEqual([])
  fireEvent.change(name, { target: { value: 'all' } })
  fireEvent.keyDown(name, { key: 'Enter' })
  const body = { path: 'queries/all.piql', text: 'CREATE QUERY all AS\nSELECT 7;\n' }
  await waitFor(() => expect(sent).toEqual([{ path: '/api/applications/shop/files', body }]))
})
