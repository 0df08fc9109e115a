// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { build } from '../../api/queries'
import { closedRequests, deployRequest, deployRules, openRequests, requestComments } from '../../api/request-queries'
import { session } from '../../api/session'
import type { DeployRequestDetail, DeployRules } from '../../api/types'
import { currentEnvironment, replaceView } from '../url-state'
import RequestsPage from './RequestsPage'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  replaceView({ request: undefined })
})

const RULES: DeployRules = {
  needs_request: false,
  load_runs_by: 'developer',
  approvals: 0,
  excludes_author: true,
  checks: { dearer: 'warn', slo: 'warn', limit: 'block', approval: 'block' },
}

const REQUEST: DeployRequestDetail = {
  number: 3,
  title: 'Newer thoughts first',
  author: null,
  opened_at: '2026-11-03T12:00:00Z',
  status: 'open',
  revision: 1,
  changed_at: '2026-11-03T12:00:00Z',
  base_version: 0,
  approvals: 0,
  approvals_needed: 0,
  open_comments: 0,
  withdrawn_by: null,
  withdrawn_at: null,
  deployed_version: null,
  deployed_by: null,
  deployed_at: null,
  why: 'Asked for by readers.',
  origin: 'files',
  save: null,
  authors: [],
  files: [{ path: 'schema.piql', text: 'CREATE TABLE t (id INT PRIMARY KEY);\n' }],
  removes: [],
  run_id: null,
  may_be_deployed: true,
  missing: [],
  checks: [
    { check: 'dearer', mode: 'warn', outcome: 'passed', message: 'No query takes more requests than it does live.' },
  ],
  numbers: {
    queries: 1,
    worst_bound: { query: 'top', operations: 12, live_query: null, live_operations: null },
    slos_at_risk: null,
  },
  limits: [],
  reviews: [],
  canaries: [],
  between: [],
  preview: {
    can_deploy: true,
    diagnostics: [],
    base_version: 0,
    kept: [],
    replaced: [],
    refusal: null,
    slos_at_risk: [],
    tables: [],
    added: ['top'],
    changed: [],
    removed: ['findUser'],
    unchanged: [],
    indexes_added: [],
    indexes_removed: [],
    bounds_changed: [],
  },
}

interface Known {
  open?: DeployRequestDetail[]
  one?: DeployRequestDetail
  /** What the server answers to a change; what is read stays as it is known. */
  answer?: Response
}

function show({ open = [], one, answer = Response.json({}) }: Known): Request[] {
  const asked: Request[] = []
  vi.stubGlobal('fetch', (request: Request) => {
    asked.push(request.clone())
    return request.method === 'GET' ? new Promise(() => undefined) : Promise.resolve(answer)
  })
  const environment = currentEnvironment()
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity, retry: false } } })
  client.setQueryData(session.queryKey, { is_team: false, person: null })
  client.setQueryData(deployRules(environment).queryKey, RULES)
  client.setQueryData(openRequests(environment).queryKey, open)
  client.setQueryData(closedRequests(environment).queryKey, { pages: [{ items: [], next: null }], pageParams: [null] })
  client.setQueryData(build(environment).queryKey, null)
  if (one) {
    client.setQueryData(deployRequest(environment, one.number).queryKey, one)
    client.setQueryData(requestComments(environment, one.number).queryKey, [])
    replaceView({ page: 'requests', request: one.number })
  }
  render(
    <QueryClientProvider client={client}>
      <RequestsPage />
    </QueryClientProvider>,
  )
  return asked
}

async function sent(asked: readonly Request[], method: string): Promise<unknown> {
  await waitFor(() => expect(asked.some((request) => request.method === method)).toBe(true))
  return asked.find((request) => request.method === method)?.json()
}

describe('the page of deploy requests', () => {
  it('says where a request is opened while there is none', () => {
    show({})
    expect(screen.getByText('No request is open')).toBeTruthy()
    expect(screen.getByRole('link', { name: 'Go to Deploy' }).getAttribute('href')).toContain('panel=deploy')
  })

  it('lists what is open with what each waits for', () => {
    show({ open: [{ ...REQUEST, approvals_needed: 2, author: 'ada' }] })
    const [item] = within(screen.getByRole('list', { name: 'Open requests' })).getAllByRole('listitem')
    expect(item?.textContent).toContain('3: Newer thoughts first')
    expect(item?.textContent).toContain('asked for by ada')
    expect(item?.textContent).toContain('It needs 2 more of 2 approvals.')
  })

  it('saves the rules of the environment', async () => {
    const asked = show({ answer: Response.json(RULES) })
    fireEvent.click(screen.getByRole('button', { name: 'Change the rules' }))
    fireEvent.click(screen.getByLabelText('Nothing is deployed without a request'))
    fireEvent.change(screen.getByLabelText('Approvals that a request needs'), { target: { value: '11' } })
    expect(screen.getByRole('button', { name: 'Save the rules' }).hasAttribute('disabled')).toBe(true)
    fireEvent.change(screen.getByLabelText('Approvals that a request needs'), { target: { value: '2' } })
    fireEvent.change(screen.getByLabelText('No query is dearer'), { target: { value: 'block' } })
    fireEvent.click(screen.getByRole('button', { name: 'Save the rules' }))
    expect(await sent(asked, 'PUT')).toEqual({
      ...RULES,
      needs_request: true,
      approvals: 2,
      checks: { ...RULES.checks, dearer: 'block' },
    })
  })
})

describe('the page of one request', () => {
  it('says that it may be deployed, what it changes in three numbers, and what is lost', () => {
    show({ one: REQUEST })
    expect(screen.getAllByRole('status')[0]?.textContent).toBe('This may be deployed: nothing is missing.')
    expect(screen.getByText('≤ 12 requests')).toBeTruthy()
    expect(screen.getByText('not known')).toBeTruthy()
    expect(screen.getByRole('list', { name: 'What is lost' }).textContent).toContain('The query findUser is removed')
  })

  it('says beside the buttons why it may not be deployed', () => {
    const missing = ['0 of 1 approval of this text given.']
    show({ one: { ...REQUEST, may_be_deployed: false, missing, approvals_needed: 1 } })
    expect(screen.getByRole('button', { name: 'Deploy this request' }).hasAttribute('disabled')).toBe(true)
    expect(screen.getByRole('list', { name: 'Why not' }).textContent).toBe(`Deploy: ${missing[0]}`)
  })

  it('names what came between, and offers what is live as the base', async () => {
    const between = [{ id: 'd2', version: 2, deployed_by: 'ben', created_at: '2026-11-03T13:00:00Z' }]
    const one = { ...REQUEST, status: 'outdated' as const, may_be_deployed: false, missing: ['outdated'], between }
    const asked = show({ one, answer: Response.json(one) })
    expect(screen.getByRole('list', { name: 'What came between' }).textContent).toContain('version 2 by ben')
    fireEvent.click(screen.getByRole('button', { name: 'Take what is live as its base' }))
    expect(await sent(asked, 'POST')).toEqual({
      revision: 1,
      text: { files: REQUEST.files, removes: [], run_id: null },
    })
  })

  it('keeps the refusal of a deployment in sight', async () => {
    const refusal = { code: 'deployed-meanwhile', message: 'Version 2 was deployed meanwhile by ben.', help: 'Look.' }
    show({
      one: REQUEST,
      answer: Response.json(refusal, { status: 409 }),
    })
    fireEvent.click(screen.getByRole('button', { name: 'Deploy this request' }))
    expect((await screen.findByRole('alert')).textContent).toContain('Version 2 was deployed meanwhile by ben.')
  })

  it('gives a verdict on the text that is seen', async () => {
    const asked = show({ one: { ...REQUEST, authors: ['ada'] }, answer: Response.json(REQUEST) })
    fireEvent.change(screen.getByLabelText('Note'), { target: { value: ' good ' } })
    fireEvent.click(screen.getByRole('button', { name: 'Approve' }))
    expect(await sent(asked, 'POST')).toEqual({ revision: 1, verdict: 'approve', note: 'good' })
  })

  it('takes a comment about a query', async () => {
    const asked = show({ one: REQUEST, answer: Response.json([]) })
    const submit = screen.getByRole('button', { name: 'Comment' })
    expect(submit.hasAttribute('disabled')).toBe(true)
    fireEvent.change(screen.getByLabelText('Comment'), { target: { value: 'Why so many?' } })
    fireEvent.change(screen.getByLabelText('About'), { target: { value: 'top' } })
    fireEvent.click(submit)
    expect(await sent(asked, 'POST')).toEqual({ revision: 1, text: 'Why so many?', query: 'top', path: null })
  })
})
