// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { alerts } from '../../api/queries'
import type { Alert, Alerts } from '../../api/types'
import { currentEnvironment } from '../url-state'
import AlertsPage from './AlertsPage'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const BURNING: Alert = {
  id: 'a1',
  kind: 'burning',
  query: 'findUser',
  state: 'firing',
  message: 'findUser: over the last 1 h',
  at: new Date(Date.now() - 65 * 60_000).toISOString(),
  is_silenced: false,
  delivered_to: ['webhook'],
  waits_for: [],
}

const QUIET: Alerts = { destinations: ['https://alerts.example:443'], firing: [], alerts: [], silences: [] }

function show(known: Alerts, respond: (request: Request) => Response = () => Response.json(known)): Request[] {
  const asked: Request[] = []
  vi.stubGlobal('fetch', async (request: Request) => {
    asked.push(request.clone())
    return respond(request)
  })
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } })
  client.setQueryData(alerts(currentEnvironment()).queryKey, known)
  render(
    <QueryClientProvider client={client}>
      <AlertsPage />
    </QueryClientProvider>,
  )
  return asked
}

describe('the page of alerts', () => {
  it('says for how long something is wrong, who was told, and what to do', () => {
    show({ ...QUIET, firing: [BURNING] })
    expect(screen.getByRole('status').textContent).toBe('1 thing has been wrong for 1 h 5 min.')
    const [item] = within(screen.getByRole('list', { name: 'Wrong now' })).getAllByRole('listitem')
    expect(item?.textContent).toContain('told by webhook')
    expect(item?.textContent).toContain('If a deployment began it, roll back')
  })

  it('says of what a silence covers until when and why nobody is told', () => {
    const silence = {
      id: 's1',
      kind: null,
      query: 'findUser',
      reason: 'a load test',
      person: null,
      since: BURNING.at,
      until: new Date(Date.now() + 3_600_000).toISOString(),
    }
    show({ ...QUIET, firing: [{ ...BURNING, is_silenced: true, delivered_to: [] }], silences: [silence] })
    const [item] = within(screen.getByRole('list', { name: 'Wrong now' })).getAllByRole('listitem')
    expect(item?.textContent).toContain(': a load test. If it is still wrong then, it is sent.')
    expect(within(item!).queryByRole('button', { name: /Silence/ })).toBeNull()
  })

  it('says that nothing is watched where no receiver is set, and offers no test message', () => {
    show({ ...QUIET, destinations: [] })
    expect(screen.getByRole('status').textContent).toContain('Nothing is watched')
    expect(screen.queryByRole('button', { name: 'Send a test message' })).toBeNull()
  })

  it('says of each receiver whether it took the test message', async () => {
    const answers = [
      { destination: 'https://alerts.example:443', problem: null },
      { destination: 'smtp://mail.example:587', problem: 'smtp://mail.example:587 answers 535' },
    ]
    show(QUIET, (request) => Response.json(request.method === 'POST' ? answers : QUIET))
    fireEvent.click(screen.getByRole('button', { name: 'Send a test message' }))
    const outcome = await screen.findByRole('status', { name: 'Test message' })
    expect(outcome.textContent).toContain('https://alerts.example:443 took the test message.')
    expect(outcome.textContent).toContain('The test message was not taken: smtp://mail.example:587 answers 535.')
  })

  it('silences what is wrong only with a reason', async () => {
    HTMLDialogElement.prototype.showModal ??= () => undefined
    const asked = show({ ...QUIET, firing: [BURNING] })
    fireEvent.click(screen.getByRole('button', { name: 'Silence: burning its budget, findUser' }))
    const submit = screen.getByText('Silence', { selector: 'button[type=submit]' })
    expect(submit.hasAttribute('disabled')).toBe(true)
    fireEvent.change(screen.getByLabelText('Reason'), { target: { value: ' a load test ' } })
    fireEvent.click(submit)
    await waitFor(() => expect(asked.some(({ method }) => method === 'POST')).toBe(true))
    const sent = asked.find(({ method }) => method === 'POST')
    expect(await sent?.json()).toEqual({ minutes: 60, reason: 'a load test', kind: 'burning', query: 'findUser' })
  })
})
