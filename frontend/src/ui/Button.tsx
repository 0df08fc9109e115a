import type { ButtonHTMLAttributes, ReactNode } from 'react'
import styles from './button.module.css'

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: 'plain' | 'primary' | 'danger' | 'quiet'
  size?: 'normal' | 'small'
  icon?: ReactNode
  /** Breaks a label that is too long for one line. */
  isWrapped?: boolean
}

/** A button with a text; it submits a form only with `type="submit"`. */
export function Button({
  look = 'plain',
  size = 'normal',
  icon,
  isWrapped = false,
  children,
  className,
  ...rest
}: ButtonProps) {
  const classes = [
    styles['button'],
    look !== 'plain' && styles[look],
    size === 'small' && styles['small'],
    isWrapped && styles['wraps'],
    className,
  ]
    .filter(Boolean)
    .join(' ')
  return (
    <button type="button" className={classes} {...rest}>
      {icon}
      {children}
    </button>
  )
}

interface IconButtonProps extends Omit<ButtonProps, 'children' | 'icon'> {
  label: string
  children: ReactNode
}

/** A button without text: its label is its name and its tooltip. */
export function IconButton({ label, children, look = 'quiet', className, ...rest }: IconButtonProps) {
  const classes = [styles['icon'], className].filter(Boolean).join(' ')
  return (
    <Button aria-label={label} title={label} look={look} className={classes} {...rest}>
      {children}
    </Button>
  )
}
