/** Copies texts to the clipboard. */
import { notify } from './notices'

/** Copies a text and says so in a notice; `subject` is what was copied, such as `2 problems`. */
export async function copy(text: string, subject: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    notify({ tone: 'success', text: `Copied ${subject}.` })
  } catch {
    notify({ tone: 'danger', text: `The browser does not allow copying ${subject}.` })
  }
}
