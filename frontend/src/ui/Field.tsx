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

/** What a control must put on its element, so that the label and the error belong to it. */
interface ControlAttributes {
  id: string
  'aria-invalid'?: true
  'aria-describedby'?: string
}

/** A label with a hint, a control, and the message that says what is wrong with its value. */
function Field({
  label,
  hint,
  error,
  isLabelHidden,
  children,
}: FieldProps & { children: (attributes: ControlAttributes) => ReactNode }) {
  const id = useId()
  const attributes: ControlAttributes = {
    id,
    ...(error ? { 'aria-invalid': true as const, 'aria-describedby': `${id}-error` } : {}),
  }
  return (
    <div className={styles['field']}>
      <span className={isLabelHidden ? 'visually-hidden' : styles['fieldLabel']}>
        <label htmlFor={id}>{label}</label>
        {hint ? <span className={styles['fieldHint']}>{hint}</span> : null}
      </span>
      {children(attributes)}
      {error ? (
        <span className={styles['fieldError']} id={`${id}-error`}>
          {error}
        </span>
      ) : null}
    </div>
  )
}

/** A field of one line; `suffix` is a unit behind it. */
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
      {(attributes) => (
        <span className={styles['suffixed']}>
          <input className={styles['input']} spellCheck={false} autoComplete="off" {...attributes} {...rest} />
          {suffix ? <span className={styles['suffix']}>{suffix}</span> : null}
        </span>
      )}
    </Field>
  )
}

/** A field of several lines. */
export function TextArea({
  label,
  hint,
  error,
  isLabelHidden = false,
  ...rest
}: FieldProps & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  return (
    <Field label={label} hint={hint} error={error} isLabelHidden={isLabelHidden}>
      {(attributes) => <textarea className={styles['input']} spellCheck={false} rows={3} {...attributes} {...rest} />}
    </Field>
  )
}

/** A choice from a list; the children are its options. */
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
      {(attributes) => (
        <select className={styles['input']} {...attributes} {...rest}>
          {children}
        </select>
      )}
    </Field>
  )
}
