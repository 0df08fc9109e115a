import type { ReactNode } from 'react'
import styles from './switch.module.css'

interface SwitchProps<T extends string> {
  label: string
  value: T
  options: readonly { value: T; label: string; icon?: ReactNode }[]
  onChange: (value: T) => void
}

/** A choice among a few options that are all in sight, as a group of pressed and unpressed buttons. */
export function Switch<T extends string>({ label, value, options, onChange }: SwitchProps<T>) {
  return (
    <div className={styles['switch']} role="group" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
        >
          {option.icon}
          {option.label}
        </button>
      ))}
    </div>
  )
}
