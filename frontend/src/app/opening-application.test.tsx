// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen, waitFor } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { useNamedApplication } from './application-choice'
import { OpeningApplication } from './OpeningApplication'
import { currentView, replaceView } from './url-state'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

function Page({ error }: { error: Error | null }) {
  useNamedApplication()
  return <OpeningApplication error={error} />
}

function show(application: string, ids: readonly string[], error: Error | null = null) {
  replaceView({ application, page: application === '' ? 'dashboard' : 'workbench', query: undefined })
  const items = ids.map((id) => ({ id, title: id.toUpperCase(), environments: ['development'] }))
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ items, next: null })))
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Page error={error} />
    </QueryClientProvider>,
  )
}

describe('an address', () => {
  it('that names no application opens the one that the server has, whatever it is called', async () => {
    show('', ['application'])
    await waitFor(() => expect(currentView().application).toBe('application'))
    expect(location.pathname).toBe('/applications/application/development/dashboard')
  })

  it('that names an application keeps to it', () => {
    show('shop', ['application'])
    expect(screen.getByText('Opening the application…')).toBeTruthy()
    expect(currentView().application).toBe('shop')
  })

  it('of an application that is not there leads to those that are', async () => {
    show('scadr', ['application', 'shop'], new Error('There is no application scadr.'))
    expect((await screen.findByRole('link', { name: 'Open SHOP' })).getAttribute('href')).toBe(
      '/applications/shop/development',
    )
    expect(screen.getByText('There is no application scadr.')).toBeTruthy()
    expect(currentView().application).toBe('scadr')
  })

  it('of a server without any application says how one is made', async () => {
    show('', [])
    expect(await screen.findByText('There is no application yet')).toBeTruthy()
  })
})
