import { Menu } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { IconButton } from '../ui/Button'
import styles from './header.module.css'

/**
 * What a narrow header has no room for, behind a button: the browser's own popover, which Escape and a click beside it
 * close. A click on any of it closes it, too.
 */
export function HeaderMenu({ children }: { children: ReactNode }) {
  const id = useId()
  return (
    <>
      <IconButton label="Menu" className={styles['menuButton']} popoverTarget={id}>
        <Menu size={16} aria-hidden />
      </IconButton>
      {/* The keyboard has Escape. */}
      {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions */}
      <div id={id} popover="auto" className={styles['menu']} onClick={(event) => event.currentTarget.hidePopover()}>
        {children}
      </div>
    </>
  )
}
