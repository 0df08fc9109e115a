// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ApiError, Unreachable } from '../../api/client'
import { deployments } from '../../api/queries'
import { useRunWish } from '../../app/run-request'
import { currentEnvironment, replaceView } from '../../app/url-state'
import { Failure } from './Failure'
import RunPanel from './RunPanel'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

function showRunPanel(query: object, answer: (request: Request) => Promise<Response>) {
  vi.stubGlobal('fetch', answer)
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity, retry: false } } })
  client.setQueryData(deployments(currentEnvironment()).queryKey, {
    pages: [{ items: [{ id: 'd1', version: 1, is_live: true, queries: [query] }], next: null }],
    pageParams: [null],
  } as never)
  render(
    <QueryClientProvider client={client}>
      <RunPanel />
    </QueryClientProvider>,
  )
}

describe('a value that does not fit', () => {
  const parameter = { name: 'id', type: 'INT', max_items: null, max_value: null }
  const query = { name: 'one', kind: 'select', is_changed: false, parameters: [parameter] }
  const refused = { code: 'invalid-parameter', message: '[id] is "x": expected an INT', parameter: 'id' }

  it('is said at its field, which has the focus, until it is another', async () => {
    replaceView({ query: 'one', panel: 'run' })
    showRunPanel(query, () => Promise.resolve(Response.json(refused, { status: 422 })))
    const field = await screen.findByLabelText('id')
    fireEvent.change(field, { target: { value: 'x' } })
    fireEvent.submit(screen.getByRole('form'))
    await waitFor(() => expect(field.getAttribute('aria-invalid')).toBe('true'))
    expect(document.getElementById(field.getAttribute('aria-describedby') ?? '')?.textContent).toBe(
      'is "x": expected an INT',
    )
    expect(document.activeElement).toBe(field)
    expect(screen.getByText('Nothing has run')).toBeTruthy()
    fireEvent.change(field, { target: { value: '7' } })
    expect(field.getAttribute('aria-invalid')).toBeNull()
  })
})

describe('a write', () => {
  it('under way is not begun again, by the form or by a key', async () => {
    const sent: string[] = []
    const query = { name: 'raise', kind: 'update', is_changed: false, parameters: [] }
    replaceView({ query: 'raise', panel: 'run' })
    showRunPanel(query, (request) => {
      sent.push(new URL(request.url).pathname)
      return new Promise<Response>(() => undefined)
    })
    const executions = () => sent.filter((path) => path.endsWith('/executions')).length
    fireEvent.submit(screen.getByRole('form'))
    fireEvent.submit(screen.getByRole('form'))
    useRunWish.setState({ wish: { query: 'raise', isUnderCaret: true, isFromForm: true } })
    await waitFor(() => expect(useRunWish.getState().wish).toBeNull())
    await waitFor(() => expect(executions()).toBe(1))
  })

  it('whose answer was lost is said to be one that may have succeeded', () => {
    const show = (error: Error, isWrite = true) => {
      cleanup()
      render(<Failure error={error} isWrite={isWrite} />)
      return screen.queryByText(/may have succeeded/) !== null
    }
    expect(show(new Unreachable())).toBe(true)
    expect(show(new ApiError(503, { code: 'store-unavailable', message: 'away' }))).toBe(true)
    expect(show(new ApiError(503, { code: 'busy', message: 'busy' }))).toBe(false)
    expect(show(new ApiError(422, { code: 'duplicate-key', message: 'twice' }))).toBe(false)
    expect(show(new Unreachable(), false)).toBe(false)
  })
})
