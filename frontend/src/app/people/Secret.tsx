import { Copy } from 'lucide-react'
import { Button } from '../../ui/Button'
import { DialogActions } from '../../ui/Dialog'
import { copy } from '../clipboard'
import styles from './team-page.module.css'

interface SecretProps {
  text: string
  /** What it is, such as `the token`. */
  subject: string
  onClose: () => void
}

/** A text that is shown this once, with a button that copies it. */
export function Secret({ text, subject, onClose }: SecretProps) {
  return (
    <>
      <code className={styles['secret']}>{text}</code>
      <p className={styles['soft']}>It is shown this once: nobody can read it again.</p>
      <DialogActions>
        <Button icon={<Copy size={14} aria-hidden />} onClick={() => void copy(text, subject)}>
          Copy
        </Button>
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </>
  )
}
