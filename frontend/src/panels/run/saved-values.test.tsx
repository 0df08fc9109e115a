// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { DeployedQuery, Deployment, ParameterSet } from '../../api/types'
import { replaceView } from '../../app/url-state'
import { SavedValues } from './SavedValues'
import { forgetTyped, useTyped } from './typed'

const QUERY = { name: 'one', parameters: [{ name: 'id', type: 'INT', max_items: null, max_value: null }] }
const LIVE = { queries: [QUERY] } as unknown as Deployment
const SET: ParameterSet = {
  id: '00000001',
  query: 'one',
  name: 'seven',
  parameters: { id: 7, gone: 1 },
  revision: 'r1',
}
const OTHER: ParameterSet = { ...SET, id: '00000002', query: 'renamed', name: 'of before', parameters: { id: 9 } }

beforeEach(() => replaceView({ application: 'shop', environment: 'development', query: 'one', panel: 'run' }))

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  forgetTyped('one')
})

interface Sent {
  method: string
  body: unknown
}

/** Shows the sets over a server that keeps these; returns the changes that it was sent. */
function show(values: Record<string, number>, status = 200): Sent[] {
  const sent: Sent[] = []
  vi.stubGlobal('fetch', async (request: Request) => {
    if (request.method === 'GET') return Response.json({ items: [SET, OTHER], next: null })
    sent.push({ method: request.method, body: request.method === 'DELETE' ? null : await request.json() })
    if (status !== 200)
      return Response.json({ code: 'parameter-set-changed', message: 'seven has been changed' }, { status })
    return request.method === 'DELETE' ? new Response(null, { status: 204 }) : Response.json(SET)
  })
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  render(
    <QueryClientProvider client={client}>
      <SavedValues live={LIVE} query={QUERY as unknown as DeployedQuery} values={values} />
      <Typed />
    </QueryClientProvider>,
  )
  return sent
}

function Typed() {
  return <output>{JSON.stringify(useTyped('one'))}</output>
}

/** Shows the sets once more, as a panel that was left does when it is opened again. */
async function showAgain(values: Record<string, number>): Promise<void> {
  cleanup()
  show(values)
  await screen.findByRole('option', { name: 'seven' })
}

async function choose(id: string): Promise<void> {
  await screen.findByRole('option', { name: 'seven' })
  fireEvent.change(screen.getByLabelText('Saved values', { selector: 'select' }), { target: { value: id } })
}

it('a set that is chosen puts what fits into the form, and says what does not', async () => {
  show({ id: 7 })
  await choose(SET.id)
  expect(screen.getByRole('status').textContent).toBe('{"id":"7"}')
  expect(screen.getByText(/one has no parameter gone\. It is kept as it is\./)).toBeTruthy()
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Save changes' }).disabled).toBe(true)
})

it('a set stays chosen while another panel is shown', async () => {
  show({ id: 8 })
  await choose(SET.id)
  await showAgain({ id: 8 })
  expect(screen.getByRole('button', { name: 'Save changes' })).toBeTruthy()
  fireEvent.change(screen.getByLabelText('Saved values', { selector: 'select' }), { target: { value: '' } })
  expect(screen.queryByRole('button', { name: 'Save changes' })).toBeNull()
})

it('changes keep the values that the query has no parameter for', async () => {
  const sent = show({ id: 8 })
  await choose(SET.id)
  fireEvent.click(screen.getByRole('button', { name: 'Save changes' }))
  const body = { name: 'seven', parameters: { gone: 1, id: 8 }, base_revision: 'r1' }
  await waitFor(() => expect(sent).toEqual([{ method: 'PUT', body }]))
})

it('a set that somebody else has changed is not overwritten', async () => {
  show({ id: 8 }, 409)
  await choose(SET.id)
  fireEvent.click(screen.getByRole('button', { name: 'Save changes' }))
  expect((await screen.findByRole('alert')).textContent).toContain('seven has been changed')
})

it('values are saved under a name', async () => {
  const sent = show({ id: 8 })
  await screen.findByRole('option', { name: 'seven' })
  fireEvent.click(screen.getByRole('button', { name: 'Save values as…' }))
  fireEvent.change(screen.getByLabelText('Name of the values'), { target: { value: ' eight ' } })
  fireEvent.submit(screen.getByRole('form', { name: 'Save values' }))
  const body = { query: 'one', name: 'eight', parameters: { id: 8 } }
  await waitFor(() => expect(sent).toEqual([{ method: 'POST', body }]))
})

it('a set is removed only after a question', async () => {
  const sent = show({ id: 8 })
  await choose(SET.id)
  fireEvent.click(screen.getByRole('button', { name: 'Remove' }))
  expect(sent).toEqual([])
  fireEvent.click(screen.getByRole('button', { name: 'Remove the values' }))
  await waitFor(() => expect(sent).toEqual([{ method: 'DELETE', body: null }]))
})

it('sets of queries that are not live are offered, too', async () => {
  show({ id: 8 })
  await screen.findByRole('option', { name: 'renamed: of before' })
  await choose(OTHER.id)
  expect(screen.getByRole('status').textContent).toBe('{"id":"9"}')
})
