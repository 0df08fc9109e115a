// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { profileRuns } from '../../api/queries'
import type { ProfileRun } from '../../api/types'
import { currentEnvironment } from '../../app/url-state'
import { RunCard } from './RunCard'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

function measured(label: string, minute: number, p99_ms: number): ProfileRun {
  return {
    id: label,
    label,
    state: 'done',
    progress: 1,
    points_done: 4,
    points_total: 4,
    eta_seconds: 0,
    message: null,
    created_at: `2026-03-01T10:0${minute}:00Z`,
    started_at: null,
    ended_at: `2026-03-01T10:0${minute}:30Z`,
    settings: { grid: 'small', levels: null, interval_seconds: 2, intervals: 1, store_url: 'embedded:' },
    operators_summary: [{ operator: 'IndexScan', points: 4, samples: 1000, p50_ms: 0.1, p99_ms }],
    drift: null,
  }
}

function show(run: ProfileRun, all: readonly ProfileRun[]) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } })
  client.setQueryData(profileRuns(currentEnvironment()).queryKey, [...all])
  render(
    <QueryClientProvider client={client}>
      <RunCard run={run} />
    </QueryClientProvider>,
  )
}

describe('the card of a run', () => {
  const before = measured('before', 1, 3)
  const now = measured('now', 2, 2)

  it('compares with the run that predictions come from, and says which that is', () => {
    show(before, [before, now])
    expect(screen.getByRole('columnheader', { name: 'p99 ratio' })).toBeTruthy()
    expect(screen.getByRole('cell', { name: '▲ 1.50 ×' })).toBeTruthy()
    expect(
      screen.getByText('The ratio is to “now”, which predictions come from: above 1, this run was slower.'),
    ).toBeTruthy()
  })

  it('says why it is not compared with a run of another grid', () => {
    const onDefaultGrid = { ...now, settings: { ...now.settings, grid: 'default' } }
    show(before, [before, onDefaultGrid])
    expect(screen.queryByRole('columnheader', { name: 'p99 ratio' })).toBeNull()
    expect(
      screen.getByText('Not compared with “now”, which predictions come from: it measured another grid.'),
    ).toBeTruthy()
  })

  it('waits for the run before it, and does not claim to prepare', () => {
    show(
      {
        ...now,
        state: 'queued',
        progress: 0,
        points_done: 0,
        points_total: 0,
        eta_seconds: null,
        operators_summary: [],
      },
      [],
    )
    expect(screen.getByRole('status').textContent).toBe('Waits until the run before it has ended')
  })

  it('is not compared with a run of a log, and one of a log cannot be resumed', () => {
    const imported = { ...now, settings: { ...now.settings, grid: 'imported' } }
    show({ ...imported, id: 'other', label: 'other', state: 'failed' }, [imported])
    expect(screen.queryByRole('columnheader', { name: 'p99 ratio' })).toBeNull()
    expect(screen.queryByRole('button', { name: 'Resume other' })).toBeNull()
  })

  it('compares the run that predictions come from with none', () => {
    show(now, [before, now])
    expect(screen.queryByRole('columnheader', { name: 'p99 ratio' })).toBeNull()
    expect(screen.getByText('used for predictions')).toBeTruthy()
  })

  it('deletes only when asked for twice', () => {
    const deleted: string[] = []
    vi.stubGlobal('fetch', ({ method, url }: Request) => {
      if (method === 'DELETE') deleted.push(url)
      return Promise.resolve(method === 'DELETE' ? new Response(null, { status: 204 }) : Response.json([]))
    })
    show(before, [before, now])
    fireEvent.click(screen.getByRole('button', { name: 'Delete before' }))
    expect(deleted).toEqual([])
    fireEvent.click(screen.getByRole('button', { name: 'Delete run' }))
    return vi.waitFor(() => expect(deleted).toEqual([expect.stringMatching(/profile-runs\/before$/)]), {
      timeout: 60_000,
    })
  })

  it('says that it prepares as long as no point is known', () => {
    show(
      {
        ...now,
        state: 'starting',
        progress: 0,
        points_done: 0,
        points_total: 0,
        eta_seconds: null,
        operators_summary: [],
      },
      [],
    )
    expect(screen.getByRole('status').textContent).toBe('Filling tables to measure on')
  })
})
