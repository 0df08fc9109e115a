// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { renderHook, waitFor } from '@testing-library/react'
import type { ReactNode } from 'react'
import { expect, it, vi } from 'vitest'
import { keyOf } from '../api/environment'
import { useToldAnswers } from './told-answers'

const SHOP = { application: 'shop', environment: 'development' }
vi.mock('./url-state', () => ({ useEnvironment: () => SHOP }))
vi.mock('../api/pulse', async (original) => ({
  ...(await original<typeof import('../api/pulse')>()),
  pulse: () => ({ queryKey: keyOf('pulse', SHOP), enabled: false, staleTime: Infinity }),
}))

it('reads deployments again where one was made between their answer and the first pulse', async () => {
  const client = new QueryClient()
  const deployments = keyOf('deployments', SHOP)
  const read = (id: string) =>
    client.setQueryData(deployments, { pages: [{ items: [{ id, is_live: true }], next: null }], pageParams: [null] })
  const tell = (live: string) =>
    client.setQueryData(keyOf('pulse', SHOP), { versions: { live, environments: '' } }, { updatedAt: Date.now() + 1 })
  const isOutdated = () => client.getQueryState(deployments)?.isInvalidated
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  )
  read('first')
  renderHook(() => useToldAnswers(), { wrapper })
  tell('second of-store')
  await waitFor(() => expect(isOutdated()).toBe(true))
  read('second')
  tell('second of-store')
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(isOutdated()).toBe(false)
})
