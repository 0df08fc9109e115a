import { beforeEach, expect, it } from 'vitest'
import { loginsSoFar, noteLogin, noteRefusal, useLoginNeeded } from './login-needed'

beforeEach(() => useLoginNeeded.setState({ isNeeded: false, logins: 0 }))

it('is needed once the server refuses a request for it', () => {
  noteRefusal('wrong-login', loginsSoFar())
  expect(useLoginNeeded.getState().isNeeded).toBe(false)
  noteRefusal('login-needed', loginsSoFar())
  expect(useLoginNeeded.getState().isNeeded).toBe(true)
})

it('is not needed again for the answer to a request that was sent before the login', () => {
  const logins = loginsSoFar()
  noteRefusal('login-needed', logins)
  noteLogin()
  noteRefusal('login-needed', logins)
  expect(useLoginNeeded.getState().isNeeded).toBe(false)
  noteRefusal('login-needed', loginsSoFar())
  expect(useLoginNeeded.getState().isNeeded).toBe(true)
})
