import { TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import type { Health } from '../api/types'
import { Dialog } from '../ui/Dialog'
import { Notice } from '../ui/Notice'
import { Prose } from '../ui/Prose'
import { plural } from '../units'
import styles from './app.module.css'

/**
 * Problems that the server reports, also those that it has mended when it started. `StoreStatus` shows those of the
 * store.
 */
export function HealthProblems({ problems }: { problems: Health['problems'] }) {
  const [isOpen, setOpen] = useState(false)
  const furtherProblems = problems.filter((problem) => problem.what !== 'store')
  if (furtherProblems.length === 0) return null
  const isOver = furtherProblems.every((problem) => problem.is_over)
  return (
    <>
      <button type="button" className={styles['statusButton']} onClick={() => setOpen(true)}>
        <TriangleAlert size={12} className={styles[isOver ? 'warningIcon' : 'dangerIcon']} aria-hidden />
        {isOver ? 'Something was mended' : plural(furtherProblems.length, 'thing is wrong', 'things are wrong')}
      </button>
      {isOpen ? (
        <Dialog title="The workbench" onClose={() => setOpen(false)}>
          {furtherProblems.map((problem) => (
            <Notice key={problem.message} tone={problem.is_over ? 'plain' : 'danger'} help={problem.help ?? undefined}>
              <Prose text={problem.message} />
            </Notice>
          ))}
        </Dialog>
      ) : null}
    </>
  )
}
