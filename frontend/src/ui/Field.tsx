import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from 'react'
import styles from './field.module.css'

interface FieldProps {
  label: string
  hint?: ReactNode
  error?: string | undefined
  isLabelHidden?: boolean
}

interface Slot {
  id: string
  'aria-invalid'?: true
  'aria-describedby'?: string
}

/** A label, a control and what is wrong with it. */
function Field({ label, hint, error, isLabelHidden, children }: FieldProps & { children: (slot: Slot) => ReactNode }) {
  const id = useId()
  const slot: Slot = { id, ...(error ? { 'aria-invalid': true as const, 'aria-describedby': `${id}-error` } : {}) }
  return (
    <div className={styles['field']}>
      <span className={isLabelHidden ? 'visually-hidden' : styles['fieldLabel']}>
        <label htmlFor={id}>{label}</label>
        {hint ? <span className={styles['fieldHint']}>{hint}</span> : null}
      </span>
      {children(slot)}
      {error ? (
        <span className={styles['fieldError']} id={`${id}-error`}>
          {error}
        </span>
      ) : null}
    </div>
  )
}

export function TextField({
  label,
  hint,
  error,
  isLabelHidden = false,
  suffix,
  ...rest
}: FieldProps & { suffix?: string } & InputHTMLAttributes<HTMLInputElement>) {
  return (
    <Field label={label} hint={hint} error={error} isLabelHidden={isLabelHidden}>
      {(slot) => (
        <span className={styles['suffixed']}>
          <input className={styles['input']} spellCheck={false} autoComplete="off" {...slot} {...rest} />
          {suffix ? <span className={styles['suffix']}>{suffix}</span> : null}
        </span>
      )}
    </Field>
  )
}

export function TextArea({
  label,
  hint,
  error,
  isLabelHidden = false,
  ...rest
}: FieldProps & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  return (
    <Field label={label} hint={hint} error={error} isLabelHidden={isLabelHidden}>
      {(slot) => <textarea className={styles['input']} spellCheck={false} rows={3} {...slot} {...rest} />}
    </Field>
  )
}

export function SelectField({
  label,
  hint,
  error,
  isLabelHidden = false,
  children,
  ...rest
}: FieldProps & SelectHTMLAttributes<HTMLSelectElement>) {
  return (
    <Field label={label} hint={hint} error={error} isLabelHidden={isLabelHidden}>
      {(slot) => (
        <select className={styles['input']} {...slot} {...rest}>
          {children}
        </select>
      )}
    </Field>
  )
}
