import { X } from 'lucide-react'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { IconButton } from './Button'
import styles from './dialog.module.css'

interface DialogProps {
  title: string
  onClose: () => void
  /** It opens by itself, perhaps while somebody types: no field takes what they typed for elsewhere. */
  isUnasked?: boolean
  children: ReactNode
}

/**
 * A modal dialog by the browser's own element, which keeps the focus inside. The first control of the body takes the
 * focus, and what opened the dialog gets it back (`focus-keeper.ts`), however the dialog ends. Escape, a click beside
 * the dialog, and `Close` close it.
 */
export function Dialog({ title, onClose, isUnasked = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const body = useRef<HTMLDivElement>(null)
  const titleId = useId()
  useEffect(() => {
    dialog.current?.showModal()
    if (isUnasked) {
      dialog.current?.focus()
      return
    }
    const first = body.current?.querySelector<HTMLElement>('input, textarea, button')
    first?.focus()
    // The caret goes to the end. Inputs for files and numbers have none, and the browser would throw.
    if (first instanceof HTMLInputElement && first.selectionStart !== null) {
      first.setSelectionRange(first.value.length, first.value.length)
    }
  }, [isUnasked])
  return (
    // A click on the backdrop closes; the keyboard has Escape.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
    <dialog
      ref={dialog}
      tabIndex={-1}
      className={styles['dialog']}
      aria-labelledby={titleId}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) dialog.current.close()
      }}
    >
      <div className={styles['dialogHead']}>
        <h2 className={styles['dialogTitle']} id={titleId}>
          {title}
        </h2>
        <IconButton label="Close" onClick={() => dialog.current?.close()}>
          <X size={16} aria-hidden />
        </IconButton>
      </div>
      <div ref={body} className={styles['dialogBody']}>
        {children}
      </div>
    </dialog>
  )
}

/** The row of buttons at the end of a dialog. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className={styles['dialogActions']}>{children}</div>
}
