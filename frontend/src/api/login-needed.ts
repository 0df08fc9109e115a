/** Whether the server has refused a request because nobody is signed in: the session has ended, or was ended. */
import { create } from 'zustand'

interface LoginNeeded {
  isNeeded: boolean
  /** How often somebody has signed in again in this page. */
  logins: number
}

export const useLoginNeeded = create<LoginNeeded>(() => ({ isNeeded: false, logins: 0 }))

const CODE = 'login-needed'

/** How often somebody has signed in again, to be given to `noteRefusal` with the answer to a request that is sent now. */
export function loginsSoFar(): number {
  return useLoginNeeded.getState().logins
}

/** Note a refusal of the server. One of a request that was sent before the last login says nothing of the session. */
export function noteRefusal(code: string, logins: number): void {
  if (code === CODE && logins === loginsSoFar()) useLoginNeeded.setState({ isNeeded: true })
}

/** Somebody has signed in again. */
export function noteLogin(): void {
  useLoginNeeded.setState({ isNeeded: false, logins: loginsSoFar() + 1 })
}
