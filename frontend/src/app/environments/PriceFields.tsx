import { BUCKETS, type PriceForm } from '../../logic/price-form'
import { SelectField, TextField } from '../../ui/Field'
import styles from './environments.module.css'

interface PriceFieldsProps {
  form: PriceForm
  set: (form: PriceForm) => void
}

/** Which sheet of prices bounds are priced by: one that is known, or one's own. */
export function PriceFields({ form, set }: PriceFieldsProps) {
  const change = (part: Partial<PriceForm>) => set({ ...form, ...part })
  const text = (
    label: string,
    key: Exclude<keyof PriceForm, 'kind'>,
    more: { hint?: string; suffix?: string } = {},
  ) => (
    <TextField label={label} value={form[key]} {...more} onChange={({ target }) => change({ [key]: target.value })} />
  )
  return (
    <fieldset className={styles['group']}>
      <legend className="visually-hidden">Prices</legend>
      <SelectField
        label="Prices"
        value={form.kind}
        onChange={({ target }) => change({ kind: target.value as PriceForm['kind'] })}
      >
        <option value="none">none</option>
        {Object.entries(BUCKETS).map(([name, title]) => (
          <option key={name} value={name}>
            what a bucket would cost: {title}
          </option>
        ))}
        <option value="requests">my own: paid by the request</option>
        <option value="nodes">my own: paid by the node</option>
      </SelectField>
      {form.kind in BUCKETS ? text('Levels of the trees', 'levels', { hint: '1 to 9' }) : null}
      {form.kind === 'requests' || form.kind === 'nodes' ? (
        <>
          {text('Whose prices', 'of', { hint: 'such as the provider and the region' })}
          {text('Since', 'date', { hint: 'such as May 2026' })}
        </>
      ) : null}
      {form.kind === 'requests' ? (
        <>
          {text('1,000,000 reads', 'read', { suffix: '$' })}
          {text('1,000,000 writes', 'write', { suffix: '$' })}
        </>
      ) : null}
      {form.kind === 'nodes' ? (
        <>
          {text('A node', 'nodeMonth', { suffix: '$ a month' })}
          {text('A node takes', 'requestsASecond', { suffix: 'requests a second' })}
        </>
      ) : null}
    </fieldset>
  )
}
