// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { deployments } from '../../api/queries'
import { browserStorage } from '../../app/browser-storage'
import { currentEnvironment, replaceView } from '../../app/url-state'
import { keyOfRuns, type PastRun, parseRuns } from '../../logic/run-history'
import { clearPastRuns, keepPastRun, useRunList } from './past-runs'
import RunPanel from './RunPanel'
import { forgetTyped } from './typed'

const ID = { name: 'id', type: 'INT', max_items: null, max_value: null }
const READ = { name: 'one', kind: 'select', is_changed: false, parameters: [ID] }
const WRITE = { name: 'raise', kind: 'update', is_changed: false, parameters: [ID] }
const ANSWER = {
  query: 'one',
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
const RUN: PastRun = {
  at: '2026-01-31T12:00:00.000Z',
  environment: 'development',
  query: 'one',
  isWrite: false,
  values: { id: 7 },
  cost: { rows: 1, operations: 1, bound: 2, elapsedMs: 3.2 },
  error: null,
}

beforeEach(() => {
  replaceView({ application: 'shop', environment: 'development', query: 'one', panel: 'run' })
  useRunList.setState({ isOpen: true, isOfQueryOnly: false })
})

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  for (const query of ['one', 'raise']) forgetTyped(query)
  clearPastRuns('shop')
})

/** Shows the panel over a server that answers executions so; returns the parameters of each execution it was sent. */
function showRunPanel(status: number, answer: object): unknown[] {
  const sent: unknown[] = []
  vi.stubGlobal('fetch', async (request: Request) => {
    if (!request.url.endsWith('/executions')) return Response.json({ parameters: {}, sources: {} })
    sent.push(((await request.json()) as { parameters: unknown }).parameters)
    return Response.json(answer, { status })
  })
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity, retry: false } } })
  client.setQueryData(deployments(currentEnvironment()).queryKey, {
    pages: [{ items: [{ id: 'd1', version: 1, is_live: true, queries: [READ, WRITE] }], next: null }],
    pageParams: [null],
  } as never)
  render(
    <QueryClientProvider client={client}>
      <RunPanel />
    </QueryClientProvider>,
  )
  return sent
}

async function runWith(id: string): Promise<void> {
  fireEvent.change(await screen.findByLabelText('id'), { target: { value: id } })
  fireEvent.submit(screen.getByRole('form'))
}

function keptRuns(): PastRun[] {
  return parseRuns(browserStorage.getItem(keyOfRuns('shop')))
}

it('a run is kept with its values and its cost, without its rows', async () => {
  showRunPanel(200, { ...ANSWER, rows: [['seen by nobody']] })
  await runWith('7')
  const runs = await screen.findByRole('list', { name: 'Runs' })
  expect(within(runs).getByText('1 row · 1 of ≤ 2 operations · 3.2 ms')).toBeTruthy()
  expect(within(runs).getByText('id = 7')).toBeTruthy()
  expect(keptRuns()).toEqual([{ ...RUN, at: expect.any(String) as string }])
  expect(browserStorage.getItem(keyOfRuns('shop'))).not.toContain('seen by nobody')
})

it('a run that failed is kept with the reason', async () => {
  showRunPanel(422, { code: 'duplicate-key', message: 'twice', help: null, parameter: null })
  await runWith('7')
  const runs = await screen.findByRole('list', { name: 'Runs' })
  expect(within(runs).getByText('failed')).toBeTruthy()
  expect(within(runs).getByText('twice')).toBeTruthy()
})

it('a value that does not fit is no run', async () => {
  showRunPanel(422, { code: 'invalid-parameter', message: '[id] is "x": expected an INT', parameter: 'id' })
  await runWith('x')
  await screen.findByText('Nothing has run')
  expect(keptRuns()).toEqual([])
})

it('a read runs again with its own values, whatever the form holds', async () => {
  keepPastRun('shop', RUN)
  const sent = showRunPanel(200, ANSWER)
  fireEvent.change(await screen.findByLabelText('id'), { target: { value: '8' } })
  fireEvent.click(screen.getByRole('button', { name: 'Run again: one' }))
  await waitFor(() => expect(sent).toEqual([{ id: 7 }]))
  expect(screen.getByLabelText<HTMLInputElement>('id').value).toBe('7')
})

it('a write is shown in its form before it runs again', async () => {
  keepPastRun('shop', { ...RUN, query: 'raise', isWrite: true })
  const sent = showRunPanel(200, ANSWER)
  fireEvent.click(await screen.findByRole('button', { name: 'Run again: raise' }))
  await screen.findByText(/raise writes: check the values/)
  expect(screen.getByLabelText<HTMLInputElement>('id').value).toBe('7')
  expect(sent).toEqual([])
})

it('values are put back without a run, and one of another environment offers no more', async () => {
  keepPastRun('shop', { ...RUN, environment: 'production' })
  const sent = showRunPanel(200, ANSWER)
  fireEvent.click(await screen.findByRole('button', { name: 'Use these values: one' }))
  expect((await screen.findByLabelText<HTMLInputElement>('id')).value).toBe('7')
  expect(screen.getByText('in production')).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Run again: one' })).toBeNull()
  expect(sent).toEqual([])
})

it('a run of a query that is not live any more offers nothing', async () => {
  keepPastRun('shop', { ...RUN, query: 'gone' })
  showRunPanel(200, ANSWER)
  expect(await screen.findByText('gone is not live.')).toBeTruthy()
  expect(screen.queryByRole('button', { name: /gone/ })).toBeNull()
})

it('only the runs of the current query are listed on request, and all are cleared', async () => {
  keepPastRun('shop', { ...RUN, query: 'raise' })
  keepPastRun('shop', RUN)
  showRunPanel(200, ANSWER)
  const runs = await screen.findByRole('list', { name: 'Runs' })
  expect(within(runs).getAllByRole('listitem')).toHaveLength(2)
  fireEvent.click(screen.getByLabelText('only one'))
  expect(within(runs).getAllByRole('listitem')).toHaveLength(1)
  fireEvent.click(screen.getByRole('button', { name: 'Clear' }))
  expect(screen.queryByRole('list', { name: 'Runs' })).toBeNull()
  expect(keptRuns()).toEqual([])
})
