// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { answered, api } from '../../api/client'
import { useLoginNeeded } from '../../api/login-needed'
import { AccountMenu } from './AccountMenu'
import { SignedIn } from './SignedIn'

const ADA = { name: 'ada', roles: [{ application: null, role: 'administrator' }], known_by: 'password' }
const WRONG = { code: 'wrong-login', message: 'The name or the password is wrong.', help: 'Look at both.' }
const NEEDED = { code: 'login-needed', message: 'Nobody is signed in.', help: 'Sign in.' }

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  useLoginNeeded.setState({ isNeeded: false })
})

function show(session: unknown, other: (path: string) => Response) {
  const asked: string[] = []
  vi.stubGlobal('fetch', (request: Request) => {
    asked.push(`${request.method} ${new URL(request.url).pathname}`)
    return Promise.resolve(
      request.method === 'GET' && request.url.endsWith('/session')
        ? Response.json(session)
        : other(new URL(request.url).pathname),
    )
  })
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <SignedIn>
        the window
        <AccountMenu />
      </SignedIn>
    </QueryClientProvider>,
  )
  return asked
}

describe('the window', () => {
  it('is there at once for somebody who is alone, without an account', async () => {
    const asked = show({ is_team: false, person: null }, () => Response.json(NEEDED, { status: 401 }))
    await vi.waitFor(() => expect(asked).toEqual(['GET /api/session']))
    expect(screen.getByText('the window')).toBeTruthy()
    expect(screen.queryByRole('button')).toBeNull()
  })

  it('gives way to the login of a team, which says when a password is wrong', async () => {
    const asked = show({ is_team: true, person: null }, () => Response.json(WRONG, { status: 401 }))
    const name = await screen.findByLabelText('Name')
    expect(screen.queryByText('the window')).toBeNull()
    const button = screen.getByRole('button', { name: 'Sign in' })
    expect(button).toHaveProperty('disabled', true)
    fireEvent.change(name, { target: { value: 'ada' } })
    fireEvent.change(screen.getByLabelText('Password'), { target: { value: 'wrong' } })
    fireEvent.click(button)
    expect((await screen.findByRole('alert')).textContent).toContain(WRONG.message)
    expect(asked.at(-1)).toBe('POST /api/session')
  })

  it('offers the provider, and says why it let nobody in', async () => {
    history.replaceState(null, '', '/record?day=2026-01-01&refused=shut-out#x')
    const refusal = { code: 'shut-out', message: 'Your account is shut out.', help: 'Ask an administrator.' }
    show({ is_team: true, person: null }, () => Response.json({ provider: 'Example', refusal }))
    expect((await screen.findByRole('alert')).textContent).toContain(refusal.message)
    expect(location.href).toMatch(/\/record\?day=2026-01-01#x$/)
    const assign = vi.spyOn(location, 'assign').mockImplementation(() => undefined)
    fireEvent.click(screen.getByRole('button', { name: 'Sign in with Example' }))
    const page = '/record?day=2026-01-01' // no server is sent what is behind #
    expect(assign).toHaveBeenCalledWith(`/api/sign-in/start?${new URLSearchParams({ return_to: page })}`)
    history.replaceState(null, '', '/')
  })

  it('begins a session of the provider again in another tab, and goes on when it is shown again', async () => {
    const session = { is_team: true, person: { ...ADA, known_by: 'provider' } }
    show(session, (path) =>
      path === '/api/sign-in'
        ? Response.json({ provider: 'Example', refusal: null })
        : Response.json(NEEDED, { status: 401 }),
    )
    expect(await screen.findByRole('button', { name: 'Account of ada' })).toBeTruthy()
    await expect(answered(api.GET('/api/health'))).rejects.toThrow(NEEDED.message)
    expect(await screen.findByRole('button', { name: 'Sign in with Example in a new tab' })).toBeTruthy()
    window.dispatchEvent(new Event('focus'))
    await vi.waitFor(() => expect(screen.queryByText('Your session has ended')).toBeNull())
    expect(screen.getByText('the window')).toBeTruthy()
  })

  it('says whom a proxy signs in where they sign out', async () => {
    show({ is_team: true, person: { ...ADA, known_by: 'proxy' } }, () => Response.json({}))
    expect(await screen.findByText(/The proxy in front of this workbench signs you in/)).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Sign out' })).toBeNull()
  })

  it('stays when the session ends, and asks for the password over it', async () => {
    show({ is_team: true, person: ADA }, () => Response.json(NEEDED, { status: 401 }))
    expect(await screen.findByRole('button', { name: 'Account of ada' })).toBeTruthy()
    await expect(answered(api.GET('/api/health'))).rejects.toThrow(NEEDED.message)
    expect(await screen.findByText('Your session has ended')).toBeTruthy()
    expect(screen.getByText('the window')).toBeTruthy()
    expect(screen.getByLabelText('Name')).toHaveProperty('value', 'ada')
  })
})
