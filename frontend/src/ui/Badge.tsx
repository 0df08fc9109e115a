import type { ReactNode } from 'react'
import styles from './badge.module.css'

/** How much a thing asks for attention: `plain` not at all, `accent` is good, `danger` is broken. */
export type Tone = 'plain' | 'accent' | 'danger' | 'warning' | 'info'

/** A word or two in a coloured frame. */
export function Badge({ tone = 'plain', title, children }: { tone?: Tone; title?: string; children: ReactNode }) {
  return (
    <span className={styles['badge']} data-tone={tone} title={title}>
      {children}
    </span>
  )
}
