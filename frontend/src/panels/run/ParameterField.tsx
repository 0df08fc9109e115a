import type { Parameter } from '../../api/types'
import {
  canBeNull,
  isList,
  isOfLines,
  isOfRows,
  isOnClock,
  kindOf,
  localInstant,
  type Typed,
} from '../../logic/parameters'
import { Button } from '../../ui/Button'
import { SelectField, TextArea, TextField } from '../../ui/Field'
import { formatCount } from '../../units'
import styles from './run.module.css'

interface ParameterFieldProps {
  parameter: Parameter
  value: Typed
  /** The column that the sample value was taken from. */
  source: string | undefined
  /** Why the last run refused the value. */
  error: string | undefined
  onChange: (value: Typed) => void
  onFocus: () => void
  onBlur: () => void
}

const ON_CLOCK = { type: 'datetime-local', step: '0.001' } as const

/** A field for one parameter, by its type, with the button `NULL` if it may be that and `Now` if it is a time. */
export function ParameterField(props: ParameterFieldProps) {
  const { parameter, value, onChange } = props
  const isTimestamp = !isList(parameter) && kindOf(parameter) === 'timestamp'
  const hasNull = canBeNull(parameter)
  if (!hasNull && !isTimestamp) return <Value {...props} />
  return (
    <div className={styles['withChoices']} data-wide={isTimestamp}>
      <Value {...props} />
      {isTimestamp ? (
        <Button
          size="small"
          aria-label={`Now as ${parameter.name}`}
          onClick={() => onChange(localInstant(new Date().toISOString()))}
        >
          Now
        </Button>
      ) : null}
      {hasNull ? (
        <Button
          size="small"
          aria-label={`NULL as ${parameter.name}`}
          aria-pressed={value === null}
          onClick={() => onChange(value === null ? '' : null)}
        >
          NULL
        </Button>
      ) : null}
    </div>
  )
}

/** The control for a value; typing into it replaces NULL. */
function Value({ parameter, value, source, error, onChange, onFocus, onBlur }: ParameterFieldProps) {
  const common = {
    label: parameter.name,
    hint: hintOf(parameter),
    title: source,
    error,
    value: value ?? '',
    onFocus,
    onBlur,
  }
  const isNull = value === null && canBeNull(parameter)
  if (isList(parameter)) {
    const placeholder = isOfRows(parameter) ? 'one row a line, as JSON' : 'one value a line'
    return <TextArea {...common} placeholder={placeholder} onChange={(event) => onChange(event.target.value)} />
  }
  switch (kindOf(parameter)) {
    case 'boolean':
      return (
        <SelectField {...common} onChange={(event) => onChange(event.target.value)}>
          <option value="">{isNull ? 'NULL' : 'choose'}</option>
          <option value="true">true</option>
          <option value="false">false</option>
        </SelectField>
      )
    case 'timestamp':
      return isNull ? (
        <TextField key="null" {...common} placeholder="NULL" readOnly />
      ) : (
        <TextField
          key={String(isOnClock(common.value))}
          {...common}
          {...(isOnClock(common.value) ? ON_CLOCK : {})}
          onChange={(event) => onChange(event.target.value)}
        />
      )
    case 'number':
      return (
        <TextField
          {...common}
          placeholder={isNull ? 'NULL' : undefined}
          inputMode="numeric"
          onChange={(event) => onChange(event.target.value)}
        />
      )
    case 'bytes':
      return (
        <TextField
          {...common}
          placeholder={isNull ? 'NULL' : 'base64'}
          onChange={(event) => onChange(event.target.value)}
        />
      )
    case 'text':
      return isOfLines(parameter, common.value) ? (
        <TextArea
          {...common}
          placeholder={isNull ? 'NULL' : undefined}
          onChange={(event) => onChange(event.target.value)}
        />
      ) : (
        <TextField
          {...common}
          placeholder={isNull ? 'NULL' : undefined}
          onChange={(event) => onChange(event.target.value)}
        />
      )
  }
}

function hintOf(parameter: Parameter): string {
  const limits = [
    parameter.max_value !== null && `≤ ${formatCount(parameter.max_value)}`,
    parameter.max_items !== null && `≤ ${formatCount(parameter.max_items)} ${isOfRows(parameter) ? 'rows' : 'values'}`,
  ].filter(Boolean)
  return [parameter.type, ...limits].join(' ')
}
