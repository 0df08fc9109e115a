// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { KnownEnvironment } from './KnownEnvironment'
import { replaceView } from './url-state'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

function show(environment: string, answer: () => Response) {
  replaceView({ application: 'shop', environment, page: 'dashboard' })
  vi.stubGlobal('fetch', () => Promise.resolve(answer()))
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <KnownEnvironment>the page</KnownEnvironment>
    </QueryClientProvider>,
  )
}

const TWO = () =>
  Response.json({ items: ['development', 'production'].map((id) => ({ id, title: id.toUpperCase() })), next: null })

describe('the page of an environment', () => {
  it('is shown where the application has the environment', async () => {
    show('production', TWO)
    expect(await screen.findByText('the page')).toBeTruthy()
  })

  it('gives way to those that there are where it has none of that name', async () => {
    show('nowhere', TWO)
    expect(await screen.findByText('There is no environment nowhere in shop')).toBeTruthy()
    expect(screen.getByRole('link', { name: 'Open PRODUCTION' }).getAttribute('href')).toBe(
      '/applications/shop/production/dashboard',
    )
    expect(screen.queryByText('the page')).toBeNull()
  })

  it('says itself what is wrong where the application cannot be asked', async () => {
    show('nowhere', () => Response.json({ code: 'no-application', message: 'None.', help: null }, { status: 404 }))
    await vi.waitFor(() => expect(screen.getByText('the page')).toBeTruthy())
  })
})
