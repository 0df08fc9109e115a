import { EyeOff } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { Edit } from '../../api/types'
import { applyTextEdits } from '../../documents/documents'
import { Button } from '../../ui/Button'
import { TextField } from '../../ui/Field'
import styles from './problems.module.css'

interface AllowProps {
  code: string
  /** Puts the comment above the query; the reason goes before the end of its line. */
  comment: Edit
}

/** Dismisses a warning: asks for the reason, and writes both into the text. */
export function Allow({ code, comment }: AllowProps) {
  const [reason, setReason] = useState<string | null>(null)
  if (reason === null) {
    return (
      <div className={styles['fixes']}>
        <Button size="small" look="quiet" icon={<EyeOff size={12} aria-hidden />} onClick={() => setReason('')}>
          Allow it here…
        </Button>
      </div>
    )
  }
  const words = reason.trim().replaceAll(/\s+/g, ' ')
  const write = (event: FormEvent) => {
    event.preventDefault()
    if (words) applyTextEdits([{ ...comment, text: comment.text.replace(/\n$/, `${words}\n`) }])
  }
  return (
    <form className={styles['allow']} onSubmit={write}>
      <TextField
        label={`Why is ${code} meant to be here?`}
        hint="The reason stands in the text, above the query."
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
      <Button size="small" type="submit" disabled={!words}>
        Allow
      </Button>
      <Button size="small" look="quiet" onClick={() => setReason(null)}>
        Cancel
      </Button>
    </form>
  )
}
