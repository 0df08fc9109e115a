// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ApiError } from '../api/client'
import { health } from '../api/pulse'
import { useCompilationState } from '../documents/compile-loop'
import { useDocuments } from '../documents/documents'
import { useNotices } from './notices'
import { ServerBanner } from './ServerBanner'
import { replaceView } from './url-state'

const ENVIRONMENT = { application: 'shop', environment: 'development' }
const AGAIN = 'The server was restarted; everything is up to date again.'
const compilations: ((answer: Response | Error) => void)[] = []
let instance = 'first'
let reads: ((error?: Error) => void)[] = []

/** Another part of the page, which shows what it has read. */
function Part() {
  const { data } = useQuery({
    queryKey: ['part'],
    queryFn: () =>
      new Promise<string>((resolve, reject) =>
        reads.push((error) => (error ? reject(error) : resolve(`read from the ${instance}`))),
      ),
  })
  return <p>{data}</p>
}

function answerOf(path: string): Promise<Response> {
  if (path.endsWith('/pulse')) {
    const store = { url: '', kind: 'embedded', healthy: true, message: null, cluster: null }
    return Promise.resolve(
      Response.json({ health: { status: 'ok', instance_id: instance, problems: [], store }, versions: null }),
    )
  }
  return new Promise((resolve, reject) =>
    compilations.push((answer) => (answer instanceof Error ? reject(answer) : resolve(answer))),
  )
}

const whole = () => new Response(`${JSON.stringify({ whole: { queries: [], diagnostics: [] } })}\n`)

const said = () => useNotices.getState().all.map(({ text }) => text)

beforeEach(() => {
  instance = 'first'
  reads = []
  compilations.length = 0
  useNotices.setState({ all: [], shown: [] })
  useDocuments.setState({ application: 'shop' })
  useCompilationState.setState({ application: 'shop', error: 'The server does not answer.' })
  vi.stubGlobal('fetch', (request: Request) => answerOf(new URL(request.url).pathname))
})

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

async function restart(): Promise<void> {
  replaceView({ ...ENVIRONMENT, page: 'workbench' })
  const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  render(
    <QueryClientProvider client={queryClient}>
      <ServerBanner />
      <Part />
    </QueryClientProvider>,
  )
  await vi.waitFor(() => expect(queryClient.getQueryData(health(ENVIRONMENT).queryKey)).toBeTruthy())
  reads.pop()?.()
  await screen.findByText('read from the first')
  instance = 'second'
  await queryClient.refetchQueries({ queryKey: health(ENVIRONMENT).queryKey })
  await screen.findByText('The server was restarted; everything is being read again…')
}

it('says that an application was deleted, not that the server is away', async () => {
  replaceView({ ...ENVIRONMENT, page: 'workbench' })
  const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  render(
    <QueryClientProvider client={queryClient}>
      <ServerBanner />
    </QueryClientProvider>,
  )
  await vi.waitFor(() => expect(queryClient.getQueryData(health(ENVIRONMENT).queryKey)).toBeTruthy())
  const missing = { code: 'unknown-application', message: 'There is no application shop.' }
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json(missing, { status: 404 })))
  await queryClient.refetchQueries({ queryKey: health(ENVIRONMENT).queryKey })
  await screen.findByText(/^The application shop was deleted/)
  expect(screen.queryByText(/not answering/)).toBeNull()
})

describe('after a restart of the server', () => {
  it('is said to be read again until the compiler and all parts have answered', async () => {
    await restart()
    await vi.waitFor(() => expect(compilations).toHaveLength(1))
    compilations.pop()?.(whole())
    await vi.waitFor(() => expect(useCompilationState.getState().error).toBeNull())
    expect(said()).toEqual([])
    reads.pop()?.()
    await vi.waitFor(() => expect(said()).toEqual([AGAIN]))
    expect(screen.queryByText('read from the second')).toBeTruthy()
    expect(screen.queryByText(/being read again/)).toBeNull()
  })

  it('is not said to be up to date while the compiler has not answered', async () => {
    await restart()
    reads.pop()?.()
    await screen.findByText('read from the second')
    await vi.waitFor(() => expect(compilations).toHaveLength(1))
    expect(useCompilationState.getState().error).not.toBeNull()
    expect(said()).toEqual([])
    compilations.pop()?.(whole())
    await vi.waitFor(() => expect(said()).toEqual([AGAIN]))
    expect(useCompilationState.getState().error).toBeNull()
  })

  it('is not said to be up to date while the compiler fails and is asked again', async () => {
    await restart()
    reads.pop()?.()
    await vi.waitFor(() => expect(compilations).toHaveLength(1))
    compilations.pop()?.(Response.json({ code: 'internal', message: 'It broke.' }, { status: 500 }))
    await vi.waitFor(() => expect(compilations).toHaveLength(1), 3000)
    expect(useCompilationState.getState().error).toBe('It broke.')
    expect(said()).toEqual([])
    screen.getByText('The server was restarted; everything is being read again…')
    compilations.pop()?.(whole())
    await vi.waitFor(() => expect(said()).toEqual([AGAIN]))
  })

  it.each([
    [500, 'The server was restarted, but not everything could be read again: It broke.'],
    [404, AGAIN],
  ])('is said to be up to date unless a part failed: %i', async (status, words) => {
    await restart()
    await vi.waitFor(() => expect(compilations).toHaveLength(1))
    compilations.pop()?.(whole())
    reads.pop()?.(new ApiError(status, { code: 'broken', message: 'It broke.' }))
    await vi.waitFor(() => expect(said()).toEqual([words]))
  })

  it('is not said to be up to date where the compiler refused the text', async () => {
    await restart()
    reads.pop()?.()
    await vi.waitFor(() => expect(compilations).toHaveLength(1))
    compilations.pop()?.(Response.json({ code: 'too-large', message: 'It is too large.' }, { status: 413 }))
    await vi.waitFor(() =>
      expect(said()).toEqual(['The server was restarted, but not everything could be read again: It is too large.']),
    )
  })
})
