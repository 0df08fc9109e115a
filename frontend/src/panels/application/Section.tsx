import { ChevronDown } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import styles from './application.module.css'

interface SectionProps {
  title: string
  /** How many entries there are, and how many of them the filter leaves; shown behind the title once they are known. */
  count: number | undefined
  shown: number
  /** Buttons beside the title. */
  actions?: ReactNode
  children: ReactNode
}

/** A part of the sidebar, which a click on its title folds. */
export function Section({ title, count, shown, actions, children }: SectionProps) {
  const [isOpen, setOpen] = useState(true)
  const id = useId()
  return (
    <section className={styles['section']}>
      <div className={styles['sectionHead']}>
        <h2 className={styles['sectionTitle']}>
          <button type="button" aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
            <ChevronDown size={13} aria-hidden className={styles['chevron']} data-open={isOpen} />
            {title}
            {count === undefined ? null : (
              <span className={styles['sectionCount']}>{shown === count ? count : `${shown} of ${count}`}</span>
            )}
          </button>
        </h2>
        {actions}
      </div>
      <div id={id} hidden={!isOpen}>
        {children}
      </div>
    </section>
  )
}
