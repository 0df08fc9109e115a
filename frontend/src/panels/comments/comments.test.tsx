// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Thread } from '../../api/types'
import { commentOn, useAnswers, useNewThread } from '../../app/threads'
import { replaceView } from '../../app/url-state'
import CommentsPanel from './CommentsPanel'

const FIRST = {
  number: 1,
  author: 'ben',
  made_at: '2026-11-03T12:00:00Z',
  text: '<b>Why</b> 50?',
  revision: 1,
  edited_at: null,
  removed_by: null,
  removed_at: null,
  is_own: false,
}
const THREAD: Thread = {
  number: 1,
  change: 10,
  kind: 'bound',
  path: null,
  line: null,
  quote: null,
  query: 'find',
  node: null,
  operator: null,
  is_outdated: false,
  made_at: '2026-11-03T12:00:00Z',
  changed_at: '2026-11-03T12:00:00Z',
  resolved_by: null,
  resolved_at: null,
  comments: 1,
  first: FIRST,
}

let role: string
let all: Thread[]
let sent: { method: string; path: string; body: unknown }[]
let refusal: object | null

async function answer(request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url)
  if (pathname === '/api/session') {
    const roles = [{ application: 'shop', role }]
    return Response.json({ is_team: true, person: { name: 'ada', roles, known_by: 'password' } })
  }
  if (request.method !== 'GET') {
    sent.push({ method: request.method, path: pathname, body: JSON.parse((await request.text()) || 'null') })
    if (refusal) return Response.json(refusal, { status: 409 })
    if (request.method === 'DELETE') return new Response(null, { status: 204 })
    return Response.json(THREAD, { status: 201 })
  }
  if (pathname.endsWith('/comments')) return Response.json({ items: [FIRST], next: null })
  const items = all.filter(({ change }) => change > Number(searchParams.get('after')))
  return Response.json({ items, next: null })
}

beforeEach(() => {
  role = 'developer'
  all = [THREAD]
  sent = []
  refusal = null
  vi.stubGlobal('fetch', answer)
  replaceView({ application: 'shop', thread: undefined, threads: undefined })
  useNewThread.setState({ anchor: null, text: '' })
  useAnswers.setState({ 1: '' })
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

function show(): void {
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <CommentsPanel />
    </QueryClientProvider>,
  )
}

async function head(name = 'Bound of find'): Promise<HTMLElement> {
  return await screen.findByRole('button', { name })
}

describe('the panel Comments', () => {
  it('shows what was said as the text that it is, and who said it', async () => {
    show()
    fireEvent.click(await head())
    const said = await screen.findByRole('list', { name: 'Comments of thread 1' })
    expect(within(said).getByText('<b>Why</b> 50?')).toBeTruthy()
    expect(within(said).getByText('ben')).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Edit comment 1' })).toBeNull()
  })

  it('sends an answer by the key, and nothing twice or empty', async () => {
    show()
    fireEvent.click(await head())
    const field = await screen.findByRole('textbox', { name: 'Answer' })
    fireEvent.keyDown(field, { key: 'Enter', ctrlKey: true })
    expect(sent).toEqual([])
    fireEvent.change(field, { target: { value: 'Because.' } })
    fireEvent.keyDown(field, { key: 'Enter', ctrlKey: true })
    const path = '/api/applications/shop/threads/1/comments'
    await waitFor(() => expect(sent).toEqual([{ method: 'POST', path, body: { text: 'Because.' } }]))
    await waitFor(() => expect(field).toHaveProperty('value', ''))
  })

  it('keeps a comment that was refused, and says why', async () => {
    refusal = { code: 'not-saved-so', message: 'The query find is not saved as it was seen.', help: null }
    show()
    await head()
    commentOn({ kind: 'bound', query: 'find' })
    const field = await screen.findByRole('textbox', { name: 'New comment' })
    fireEvent.change(field, { target: { value: 'Is it dear?' } })
    fireEvent.click(screen.getByRole('button', { name: 'Comment' }))
    await screen.findByText('The query find is not saved as it was seen.')
    expect(field).toHaveProperty('value', 'Is it dear?')
    expect(sent).toEqual([
      {
        method: 'POST',
        path: '/api/applications/shop/threads',
        body: { anchor: { kind: 'bound', query: 'find' }, text: 'Is it dear?' },
      },
    ])
  })

  it('lets a viewer read, and says what is needed to comment', async () => {
    role = 'viewer'
    show()
    fireEvent.click(await head())
    expect(await screen.findByText('This needs the role developer in shop, and you are viewer.')).toBeTruthy()
    expect(screen.getByRole('textbox', { name: 'Answer' })).toHaveProperty('disabled', true)
    expect(screen.getByRole('button', { name: 'Resolve thread 1' })).toHaveProperty('disabled', true)
  })

  it('says where a link leads to no thread', async () => {
    replaceView({ thread: '77' })
    show()
    expect(await screen.findByText('There is no thread 77 in this application.')).toBeTruthy()
  })

  it('draws 50 of many at first', async () => {
    all = Array.from({ length: 120 }, (_, index) => ({ ...THREAD, number: index + 1, change: index + 1 }))
    show()
    const list = await screen.findByRole('list', { name: 'Threads' })
    await waitFor(() => expect(within(list).getAllByRole('listitem')).toHaveLength(50))
    fireEvent.click(screen.getByRole('button', { name: 'Show 50 more threads' }))
    expect(within(list).getAllByRole('listitem')).toHaveLength(100)
  })
})
