import type { ReactNode } from 'react'
import styles from './kbd.module.css'

/** One key of the keyboard, as a shortcut shows it. */
export function Kbd({ children }: { children: ReactNode }) {
  return <kbd className={styles['kbd']}>{children}</kbd>
}
