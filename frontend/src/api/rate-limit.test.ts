import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { fetchWithinRate, useRateLimit } from './rate-limit'

const REFUSAL = { code: 'too-many-requests', message: 'Too many requests from one address.', help: null }

function refused(seconds: string): Response {
  return Response.json(REFUSAL, { status: 429, headers: { 'Retry-After': seconds } })
}

function answering(...answers: Response[]) {
  const asked = vi.fn<(request: Request) => Promise<Response>>(async (request) => {
    await request.text()
    return answers.shift() ?? Response.json('done')
  })
  vi.stubGlobal('fetch', asked)
  return asked
}

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test.each([
  new Request('http://localhost/api/slos'),
  new Request('http://localhost/api/compilations', { method: 'POST', body: '{"files": []}' }),
  new Request('http://localhost/api/language/hovers', { method: 'POST', body: '{}' }),
  new Request('http://localhost/api/deployments', { method: 'POST', body: '{}' }),
  new Request('http://localhost/api/deployments/live/queries/q/executions', { method: 'POST', body: '{}' }),
  new Request('http://localhost/api/slos/q', { method: 'DELETE' }),
])('what is refused for its rate is asked again after the time said, which is shown: %s', async (request) => {
  const asked = answering(refused('3'))
  const answer = fetchWithinRate(request)
  await vi.advanceTimersByTimeAsync(2999)
  expect(asked).toHaveBeenCalledTimes(1)
  expect(useRateLimit.getState().message).toBe(REFUSAL.message)
  await vi.advanceTimersByTimeAsync(1)
  expect((await answer).status).toBe(200)
  expect(asked).toHaveBeenCalledTimes(2)
  expect(useRateLimit.getState().message).toBeNull()
})

test('what failed in another way may have been done, and is not sent again', async () => {
  const asked = answering(Response.json({ code: 'store-away' }, { status: 503, headers: { 'Retry-After': '1' } }))
  const request = new Request('http://localhost/api/deployments/live/queries/q/executions', {
    method: 'POST',
    body: '{}',
  })
  expect((await fetchWithinRate(request)).status).toBe(503)
  expect(asked).toHaveBeenCalledTimes(1)
})

test('after three waits the refusal is given to who asked', async () => {
  const asked = answering(refused('1'), refused('1'), refused('1'), refused('1'))
  const answer = fetchWithinRate(new Request('http://localhost/api/slos'))
  await vi.advanceTimersByTimeAsync(3000)
  expect((await answer).status).toBe(429)
  expect(asked).toHaveBeenCalledTimes(4)
})

test('what is given up meanwhile is not asked again', async () => {
  const asked = answering(refused('5'))
  const abort = new AbortController()
  const answer = fetchWithinRate(new Request('http://localhost/api/slos', { signal: abort.signal }))
  const end = expect(answer).rejects.toThrow('given up')
  await vi.advanceTimersByTimeAsync(10)
  abort.abort()
  await end
  expect(asked).toHaveBeenCalledTimes(1)
  expect(useRateLimit.getState().message).toBeNull()
})
