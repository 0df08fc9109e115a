import { CONSISTENCIES, type EnvironmentForm, type Reference } from '../../logic/environment-form'
import { SelectField, TextField } from '../../ui/Field'
import styles from './environments.module.css'

interface ClusterFieldsProps {
  form: EnvironmentForm
  set: (part: Partial<EnvironmentForm>) => void
}

/** What a cluster has and a file has not: copies that answer, a login, and certificates, all of them by name. */
export function ClusterFields({ form, set }: ClusterFieldsProps) {
  return (
    <fieldset className={styles['group']}>
      <legend className="visually-hidden">Cluster</legend>
      <SelectField
        label="Consistency"
        value={form.consistency}
        onChange={(event) => set({ consistency: event.target.value })}
      >
        <option value="">as the address says, or LOCAL_QUORUM</option>
        {CONSISTENCIES.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </SelectField>
      <Credential label="User" value={form.user} onChange={(user) => set({ user })} />
      <Credential label="Password" value={form.password} onChange={(password) => set({ password })} />
      <p className={styles['soft']}>
        The server reads them from there when it connects; they are never stored or shown.
      </p>
      <label className={styles['check']}>
        <input
          type="checkbox"
          checked={form.isEncrypted}
          onChange={(event) => set({ isEncrypted: event.target.checked })}
        />
        Encrypt connections (TLS), and check the certificates of the nodes
      </label>
      {form.isEncrypted ? (
        <>
          <TextField
            label="Trusted certificates"
            hint="a file of the server; empty: the system’s"
            value={form.caFile}
            onChange={(event) => set({ caFile: event.target.value })}
          />
          <TextField
            label="Own certificate"
            hint="a file of the server, if the nodes ask for one"
            value={form.certificateFile}
            onChange={(event) => set({ certificateFile: event.target.value })}
          />
          <TextField
            label="Key of the own certificate"
            hint="a file of the server"
            value={form.keyFile}
            onChange={(event) => set({ keyFile: event.target.value })}
          />
        </>
      ) : null}
    </fieldset>
  )
}

interface CredentialProps {
  label: string
  value: Reference
  onChange: (value: Reference) => void
}

function Credential({ label, value, onChange }: CredentialProps) {
  return (
    <div className={styles['pair']}>
      <SelectField
        label={`${label} from`}
        value={value.from}
        onChange={(event) => onChange({ ...value, from: event.target.value as Reference['from'] })}
      >
        <option value="nowhere">none</option>
        <option value="variable">a variable</option>
        <option value="file">a file</option>
      </SelectField>
      {value.from === 'nowhere' ? null : (
        <TextField
          label={value.from === 'variable' ? `${label}: name of the variable` : `${label}: path of the file`}
          placeholder={value.from === 'variable' ? 'SHOP_PASSWORD' : '/run/secrets/shop'}
          value={value.name}
          onChange={(event) => onChange({ ...value, name: event.target.value })}
        />
      )}
    </div>
  )
}
