/** Whether the server has refused a request because nobody is signed in: the session has ended, or was ended. */
import { create } from 'zustand'

interface LoginNeeded {
  isNeeded: boolean
}

export const useLoginNeeded = create<LoginNeeded>(() => ({ isNeeded: false }))

const CODE = 'login-needed'

/** Note a refusal of the server. */
export function noteRefusal(code: string): void {
  if (code === CODE) useLoginNeeded.setState({ isNeeded: true })
}
