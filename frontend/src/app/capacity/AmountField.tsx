import { useState } from 'react'
import { type Amount, amountText, parseAmount } from '../../logic/capacity-question'
import { TextField } from '../../ui/Field'

interface AmountFieldProps {
  label: string
  isLabelHidden?: boolean
  suffix?: string
  placeholder?: string
  amount: Amount | undefined | null
  onChange: (amount: Amount | null) => void
}

/** A number, or three for what is known only so well: `8, 10, 13`. A text that is neither stays, with what is wrong. */
export function AmountField({ label, isLabelHidden, suffix, placeholder, amount, onChange }: AmountFieldProps) {
  const [text, setText] = useState<string | null>(null)
  const shown = text ?? amountText(amount)
  const isWrong = shown.trim() !== '' && parseAmount(shown) === null
  return (
    <TextField
      label={label}
      isLabelHidden={isLabelHidden ?? false}
      {...(suffix ? { suffix } : {})}
      {...(placeholder ? { placeholder } : {})}
      inputMode="decimal"
      value={shown}
      error={isWrong ? 'A number above 0, or three that grow: 8, 10, 13' : undefined}
      onChange={({ target }) => {
        setText(target.value)
        const given = parseAmount(target.value)
        if (given || target.value.trim() === '') onChange(given)
      }}
      onBlur={() => {
        if (!isWrong) setText(null)
      }}
    />
  )
}

interface NumberFieldProps {
  label: string
  suffix?: string
  value: number | null
  onChange: (value: number | null) => void
}

/** A single number, or nothing. */
export function NumberField({ label, suffix, value, onChange }: NumberFieldProps) {
  const amount = value === null ? null : { low: value, mid: value, high: value }
  return (
    <AmountField
      label={label}
      {...(suffix ? { suffix } : {})}
      amount={amount}
      onChange={(given) => onChange(given?.mid ?? null)}
    />
  )
}
