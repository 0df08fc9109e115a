import { SelectField } from '../ui/Field'
import { formatDuration } from '../units'
import { setView } from './url-state'

const WINDOWS = [
  { seconds: 300, name: 'last 5 minutes' },
  { seconds: 3600, name: 'last hour' },
  { seconds: 86_400, name: 'last day' },
  { seconds: 604_800, name: 'last week' },
]

/** Chooses how far back a dashboard looks, into the address; one that an address has beside the usual is among them. */
export function WindowChoice({ seconds }: { seconds: number }) {
  return (
    <SelectField
      label="Window"
      isLabelHidden
      value={String(seconds)}
      onChange={(event) => setView({ window: Number(event.target.value) })}
    >
      {WINDOWS.every((option) => option.seconds !== seconds) ? (
        <option value={seconds}>last {formatDuration(seconds)}</option>
      ) : null}
      {WINDOWS.map((option) => (
        <option key={option.seconds} value={option.seconds}>
          {option.name}
        </option>
      ))}
    </SelectField>
  )
}
