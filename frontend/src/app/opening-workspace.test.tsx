// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen, waitFor } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { OpeningWorkspace } from './OpeningWorkspace'
import { currentView, replaceView } from './url-state'
import { useNamedWorkspace } from './workspace-choice'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

function Page({ error }: { error: Error | null }) {
  useNamedWorkspace()
  return <OpeningWorkspace error={error} />
}

function show(workspace: string, ids: readonly string[], error: Error | null = null) {
  replaceView({ workspace, page: 'workbench', query: undefined })
  const items = ids.map((id) => ({ id, title: id.toUpperCase() }))
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ items, next: null })))
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Page error={error} />
    </QueryClientProvider>,
  )
}

describe('an address', () => {
  it('that names no workspace opens the one that the server has, whatever it is called', async () => {
    show('', ['application'])
    await waitFor(() => expect(currentView().workspace).toBe('application'))
    expect(location.pathname).toBe('/workspaces/application')
  })

  it('that names a workspace keeps to it', () => {
    show('shop', ['application'])
    expect(screen.getByText('Opening the workspace…')).toBeTruthy()
    expect(currentView().workspace).toBe('shop')
  })

  it('of a workspace that is not there leads to those that are', async () => {
    show('scadr', ['application', 'shop'], new Error('There is no workspace scadr.'))
    expect((await screen.findByRole('link', { name: 'Open SHOP' })).getAttribute('href')).toBe('/workspaces/shop')
    expect(screen.getByText('There is no workspace scadr.')).toBeTruthy()
    expect(currentView().workspace).toBe('scadr')
  })

  it('of a server without any workspace says how one is made', async () => {
    show('', [])
    expect(await screen.findByText('There is no workspace yet')).toBeTruthy()
  })
})
