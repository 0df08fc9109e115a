// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, renderHook } from '@testing-library/react'
import type { ReactNode } from 'react'
import { expect, it, vi } from 'vitest'
import { deployment, deployments } from '../api/queries'
import type { Deployment, DeploymentDetail } from '../api/types'
import { type TextDocument, usePaintedDocuments } from '../documents/documents'
import { useFileChanges, useIsChanged } from './live-text'

const SHOP = { application: 'shop', environment: 'development' }
vi.mock('./url-state', async (original) => ({
  ...(await original<typeof import('./url-state')>()),
  useEnvironment: () => SHOP,
}))

const LIVE = { id: 'one', version: 1, is_live: true, application_id: 'shop', queries: [] } as unknown as Deployment

function documents(text: string) {
  const file: TextDocument = {
    path: 'a.piql',
    text,
    savedText: text,
    revision: '1',
    saveState: 'saved',
    conflict: null,
  }
  return act(() => usePaintedDocuments.setState(({ version }) => ({ files: [file], version: version + 1 })))
}

it('says whether the text differs from what is live, and is drawn for that alone and not for each key', () => {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } })
  client.setQueryData(deployments(SHOP).queryKey, { pages: [{ items: [LIVE], next: null }], pageParams: [null] })
  client.setQueryData(deployment(SHOP, 'one').queryKey, {
    ...LIVE,
    files: [{ path: 'a.piql', text: '-- live' }],
  } as DeploymentDetail)
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  )
  documents('-- live')
  let drawn = 0
  const { result } = renderHook(
    () => {
      drawn += 1
      return useIsChanged()
    },
    { wrapper },
  )
  expect(result.current).toBe(false)
  documents('-- live1')
  expect(result.current).toBe(true)
  drawn = 0
  documents('-- live12')
  documents('-- live123')
  expect(drawn).toBe(0)
  documents('-- live')
  expect(result.current).toBe(false)
  expect(renderHook(() => useFileChanges(), { wrapper }).result.current).toEqual([])
})
