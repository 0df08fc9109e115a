import { useState } from 'react'
import type { Environment } from '../../api/types'
import {
  COLOURS,
  type Colour,
  createOf,
  type EnvironmentForm,
  formOf,
  isCluster,
  missing,
  NEW_ENVIRONMENT,
  updateOf,
} from '../../logic/environment-form'
import { numberError, SLO_RULES } from '../../logic/numbers'
import { priceFormOf, pricesOf } from '../../logic/price-form'
import { Button } from '../../ui/Button'
import { Dialog, DialogActions } from '../../ui/Dialog'
import { SelectField, TextField } from '../../ui/Field'
import { Form } from '../../ui/Form'
import { ErrorNotice, Notice } from '../../ui/Notice'
import { ClusterFields } from './ClusterFields'
import styles from './environments.module.css'
import { PriceFields } from './PriceFields'
import { useEnvironmentChange } from './useEnvironmentChange'

interface EnvironmentEditorProps {
  application: string
  /** The one that is changed; null for a new one. */
  environment: Environment | null
  onDone: () => void
  onClose: () => void
}

/** Adds an environment, or changes one. */
export function EnvironmentEditor({ application, environment, onDone, onClose }: EnvironmentEditorProps) {
  const before = environment ? formOf(environment) : NEW_ENVIRONMENT
  const [form, setForm] = useState<EnvironmentForm>(before)
  const [priceForm, setPriceForm] = useState(() => priceFormOf(environment?.prices ?? null))
  const prices = pricesOf(priceForm)
  const isConfirmed = environment?.store?.is_confirmed ?? true
  const { add, change } = useEnvironmentChange(application)
  const set = (part: Partial<EnvironmentForm>) => setForm({ ...form, ...part })
  const sloError = form.sloMs.trim() === '' ? undefined : numberError(form.sloMs, SLO_RULES.threshold)
  const lacks = missing(form) ?? (prices === undefined ? 'the prices' : null)
  const isPending = add.isPending || change.isPending
  const submit = () => {
    if (environment)
      change.mutate(
        { environment: environment.id, body: { ...updateOf(form, before, isConfirmed), prices: prices ?? null } },
        { onSuccess: onDone },
      )
    else add.mutate({ ...createOf(form), prices: prices ?? null }, { onSuccess: onDone })
  }
  const error = add.error ?? change.error
  return (
    <Dialog key="edit" title={environment ? `Change ${environment.title}` : 'Add an environment'} onClose={onClose}>
      <Form className={styles['form']} onSubmit={submit}>
        <TextField
          label="Name"
          value={form.title}
          maxLength={100}
          hint={environment ? `Its id stays ${environment.id}` : undefined}
          onChange={(event) => set({ title: event.target.value })}
        />
        <SelectField
          label="Colour in the header"
          value={form.colour}
          onChange={(event) => set({ colour: event.target.value as Colour })}
        >
          {COLOURS.map((colour) => (
            <option key={colour}>{colour}</option>
          ))}
        </SelectField>
        <SelectField
          label="Store"
          value={form.store}
          onChange={(event) => set({ store: event.target.value as EnvironmentForm['store'] })}
        >
          <option value="own file">A file of its own</option>
          <option value="named">Another file, or a cluster</option>
        </SelectField>
        {form.store === 'named' ? (
          <TextField
            label="Address of the store"
            placeholder="cql://db1,db2/shop?prefix=live_"
            value={form.url}
            maxLength={2000}
            onChange={(event) => set({ url: event.target.value })}
          />
        ) : null}
        {isCluster(form) ? <ClusterFields form={form} set={set} /> : null}
        <TextField
          label="99 % of executions take at most"
          hint="where a query has no SLO"
          suffix="ms"
          inputMode="decimal"
          value={form.sloMs}
          error={sloError}
          onChange={(event) => set({ sloMs: event.target.value })}
        />
        <PriceFields form={priceForm} set={setPriceForm} />
        {isConfirmed ? null : (
          <Notice tone="warning">
            This environment came with an archive. Nobody has connected to its store; saving it here allows that.
          </Notice>
        )}
        <p>
          {environment
            ? 'Nothing is copied from this store to another one.'
            : 'Nothing is written into the store until it is used.'}
        </p>
        {error ? <ErrorNotice error={error} /> : null}
        <DialogActions>
          <Button onClick={onDone}>Cancel</Button>
          <Button
            type="submit"
            look="primary"
            title={lacks ? `Still to be typed: ${lacks}` : undefined}
            disabled={isPending || lacks !== null || sloError !== undefined}
          >
            {environment ? 'Save changes' : 'Add environment'}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}
