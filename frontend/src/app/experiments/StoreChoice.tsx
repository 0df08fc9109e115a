import { useQuery } from '@tanstack/react-query'
import { experimentStores } from '../../api/experiment-queries'
import { SelectField } from '../../ui/Field'
import { ErrorNotice } from '../../ui/Notice'
import styles from './experiments.module.css'

/** On which store experiments run: none, as for the papers' figures, or one that the user may write to. */
export function StoreChoice({ value, onChange }: { value: string; onChange: (store: string) => void }) {
  const { data, error } = useQuery(experimentStores)
  return (
    <div className={styles['choice']}>
      {error ? <ErrorNotice error={error} /> : null}
      <SelectField label="Run on" value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">Embedded and simulated stores</option>
        {data?.map(({ id, title, address }) => (
          <option key={id} value={id}>
            {id === 'embedded' ? title : `${title} (${address})`}
          </option>
        ))}
      </SelectField>
      {value === '' ? null : (
        <p className={styles['soft']}>
          Times are those of the store’s answers.
          {value === 'embedded' ? '' : ' An experiment makes new tables there, beside what is there, and they stay.'}
        </p>
      )}
    </div>
  )
}
