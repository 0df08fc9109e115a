// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { useNotices } from '../notices'
import { ApplicationRow } from './ApplicationRow'

const PROBLEM = 'The sample SCADr is not loaded: the cluster cannot be reached.'
const LIVE = {
  id: 'd1',
  version: 1,
  is_live: true,
  queries: [],
  created_at: '2026-01-01T00:00:00Z',
  deployed_by: 'scadr',
}

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

describe('the row of an application whose sample could not be loaded', () => {
  it('says so, tries again when asked, and then shows what is live', async () => {
    let isLoaded = false
    const attempts: string[] = []
    const answers: Record<string, () => object | null> = {
      deployments: () => ({ items: isLoaded ? [LIVE] : [], next: null }),
      pulse: () => ({
        health: {
          instance_id: 'first',
          problems: isLoaded ? [] : [{ what: 'sample', message: PROBLEM, help: null, is_over: false }],
          store: null,
        },
        versions: null,
      }),
      d1: () => ({ queries: [] }),
      attempts: () => {
        isLoaded = attempts.length > 0
        attempts.push('')
        return isLoaded ? null : { code: 'store-unavailable', message: PROBLEM, help: null }
      },
    }
    vi.stubGlobal('fetch', (request: Request) => {
      const last = new URL(request.url).pathname.split('/').pop() ?? ''
      const answer = answers[last]?.() ?? null
      const status = last === 'attempts' ? (answer ? 503 : 204) : 200
      return Promise.resolve(answer ? Response.json(answer, { status }) : new Response(null, { status }))
    })
    const application = {
      id: 'scadr',
      title: 'SCADr',
      is_archived: false,
      environments: ['development'],
      changed_at: '2026-01-01T00:00:00Z',
    }
    render(
      <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
        <table>
          <tbody>
            <ApplicationRow application={application} />
          </tbody>
        </table>
      </QueryClientProvider>,
    )
    expect(await screen.findByText(PROBLEM, { exact: false })).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
    await vi.waitFor(() => expect(attempts).toHaveLength(1))
    fireEvent.click(await screen.findByRole('button', { name: 'Try again' }))
    expect(await screen.findByText('Version 1, 0 queries')).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull()
    const { all, shown } = useNotices.getState()
    expect(all.filter(({ id }) => shown.includes(id)).map(({ text }) => text)).toEqual([
      'The sample of scadr is loaded.',
    ])
  })
})
