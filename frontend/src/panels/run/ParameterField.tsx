import type { Parameter } from '../../api/types'
import { isList, isOfLines, isOnClock, kindOf, localInstant } from '../../logic/parameters'
import { Button } from '../../ui/Button'
import { SelectField, TextArea, TextField } from '../../ui/Field'
import { formatCount } from '../../units'
import styles from './run.module.css'

interface ParameterFieldProps {
  parameter: Parameter
  value: string
  /** Where the sample value was taken from. */
  source: string | undefined
  onChange: (text: string) => void
  onFocus: () => void
  onBlur: () => void
}

const ON_CLOCK = { type: 'datetime-local', step: '0.001' } as const

/** A field for one parameter, by the type the query gives it. */
export function ParameterField({ parameter, value, source, onChange, onFocus, onBlur }: ParameterFieldProps) {
  const common = { label: parameter.name, hint: hintOf(parameter), title: source, value, onFocus, onBlur }
  if (isList(parameter)) {
    return <TextArea {...common} placeholder="one value a line" onChange={(event) => onChange(event.target.value)} />
  }
  switch (kindOf(parameter)) {
    case 'boolean':
      return (
        <SelectField {...common} onChange={(event) => onChange(event.target.value)}>
          <option value="">choose</option>
          <option value="true">true</option>
          <option value="false">false</option>
        </SelectField>
      )
    case 'timestamp':
      return (
        <div className={styles['timestamp']}>
          <TextField key={String(isOnClock(value))} {...common} {...(isOnClock(value) ? ON_CLOCK : {})} onChange={(event) => onChange(event.target.value)} />
          <Button size="small" aria-label={`Now as ${parameter.name}`} onClick={() => onChange(localInstant(new Date().toISOString()))}>
            Now
          </Button>
        </div>
      )
    case 'number':
      return <TextField {...common} inputMode="numeric" onChange={(event) => onChange(event.target.value)} />
    case 'bytes':
      return <TextField {...common} placeholder="base64" onChange={(event) => onChange(event.target.value)} />
    case 'text':
      return isOfLines(parameter, value) ? (
        <TextArea {...common} onChange={(event) => onChange(event.target.value)} />
      ) : (
        <TextField {...common} onChange={(event) => onChange(event.target.value)} />
      )
  }
}

function hintOf(parameter: Parameter): string {
  const limits = [
    parameter.max_value !== null && `≤ ${formatCount(parameter.max_value)}`,
    parameter.max_items !== null && `≤ ${formatCount(parameter.max_items)} values`,
  ].filter(Boolean)
  return [parameter.type, ...limits].join(' ')
}
