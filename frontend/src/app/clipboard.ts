/** Puts text where it can be pasted from, and says so. */
import { notify } from './notices'

export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    notify({ tone: 'success', text: `Copied ${what}.` })
  } catch {
    notify({ tone: 'danger', text: `The browser does not allow copying ${what}.` })
  }
}
