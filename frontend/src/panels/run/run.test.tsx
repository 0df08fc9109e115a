// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ApiError, Unreachable } from '../../api/client'
import { deployments } from '../../api/queries'
import { useRunWish } from '../../app/run-request'
import { replaceView } from '../../app/url-state'
import { Failure } from './Failure'
import RunPanel from './RunPanel'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

describe('a write', () => {
  it('under way is not begun again, by the form or by a key', async () => {
    const sent: string[] = []
    vi.stubGlobal('fetch', (request: Request) => {
      sent.push(new URL(request.url).pathname)
      return new Promise<Response>(() => undefined)
    })
    const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } })
    const query = { name: 'raise', kind: 'update', is_changed: false, parameters: [] }
    client.setQueryData(deployments.queryKey, {
      pages: [{ items: [{ id: 'd1', version: 1, is_live: true, queries: [query] }], next: null }],
      pageParams: [null],
    } as never)
    replaceView({ query: 'raise', panel: 'run' })
    render(
      <QueryClientProvider client={client}>
        <RunPanel />
      </QueryClientProvider>,
    )
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
