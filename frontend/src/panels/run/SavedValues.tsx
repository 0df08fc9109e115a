import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { create } from 'zustand'
import type { DeployedQuery, Deployment, ParameterSet } from '../../api/types'
import { notify } from '../../app/notices'
import { useView } from '../../app/url-state'
import { entryOf } from '../../logic/entry'
import { areSame, fittingTexts, misfitsOf, misfitText, withUnknown } from '../../logic/parameter-sets'
import type { ParameterValues } from '../../logic/run-history'
import { Button } from '../../ui/Button'
import { SelectField, TextField } from '../../ui/Field'
import { Form } from '../../ui/Form'
import { ErrorNotice, Notice } from '../../ui/Notice'
import { Toolbar } from '../../ui/Table'
import { parameterSets, useParameterSetChange } from './parameter-sets-api'
import styles from './saved-values.module.css'
import { keepTyped } from './typed'

/** The chosen set of each query, by application and query; kept while the page is open, like what is typed. */
const useChosen = create<{ ids: Readonly<Record<string, string>> }>(() => ({ ids: {} }))

interface SavedValuesProps {
  live: Deployment
  query: DeployedQuery
  /** The values that the form would send. */
  values: ParameterValues
}

/** The sets of values that the application keeps for a query: one is chosen, changed, removed, or saved under a name. */
export function SavedValues({ live, query, values }: SavedValuesProps) {
  const { application } = useView()
  const { data: sets = [], error } = useQuery(parameterSets(application))
  const change = useParameterSetChange(application)
  const key = JSON.stringify([application, query.name])
  const chosenId = useChosen(({ ids }) => entryOf(ids, key)) ?? ''
  const setChosenId = (id: string) => useChosen.setState(({ ids }) => ({ ids: { ...ids, [key]: id } }))
  const [asks, setAsks] = useState<'name' | 'removal' | null>(null)
  const chosen = sets.find(({ id }) => id === chosenId)
  const misfit = chosen ? misfitText(query.name, misfitsOf(query.parameters, chosen.parameters)) : null
  const changed = chosen ? withUnknown(query.parameters, chosen.parameters, values) : values
  const choose = (id: string) => {
    setChosenId(id)
    setAsks(null)
    const set = sets.find((candidate) => candidate.id === id)
    if (!set) return
    for (const [name, text] of Object.entries(fittingTexts(query.parameters, set.parameters)))
      keepTyped(query.name, name, text)
  }
  const failure = error ?? change.create.error ?? change.save.error ?? change.remove.error
  return (
    <section className={styles['saved']} aria-label="Saved values">
      <Toolbar label="Saved values">
        <SetChoice live={live} query={query} sets={sets} chosenId={chosen ? chosenId : ''} onChoose={choose} />
        <Button size="small" aria-expanded={asks === 'name'} onClick={() => setAsks(asks === 'name' ? null : 'name')}>
          Save values as…
        </Button>
        {chosen ? (
          <>
            <Button
              size="small"
              disabled={change.save.isPending || areSame(changed, chosen.parameters)}
              onClick={() =>
                change.save.mutate(
                  { set: chosen, parameters: changed },
                  { onSuccess: () => notify({ tone: 'success', text: `${chosen.name} is saved.` }) },
                )
              }
            >
              Save changes
            </Button>
            <Button
              size="small"
              look="quiet"
              aria-expanded={asks === 'removal'}
              onClick={() => setAsks(asks === 'removal' ? null : 'removal')}
            >
              Remove
            </Button>
          </>
        ) : null}
      </Toolbar>
      {asks === 'name' ? (
        <Naming
          isPending={change.create.isPending}
          onClose={() => setAsks(null)}
          onName={(name) =>
            change.create.mutate(
              { query: query.name, name, parameters: values },
              {
                onSuccess: (set) => {
                  setChosenId(set.id)
                  setAsks(null)
                  notify({ tone: 'success', text: `${name} is saved for everybody who works on ${application}.` })
                },
              },
            )
          }
        />
      ) : null}
      {asks === 'removal' && chosen ? (
        <p className={styles['question']}>
          Remove {chosen.name} for everybody?
          <Button
            size="small"
            look="danger"
            disabled={change.remove.isPending}
            onClick={() =>
              change.remove.mutate(chosen, {
                onSuccess: () => {
                  choose('')
                  notify({ tone: 'info', text: `${chosen.name} is removed.` })
                },
              })
            }
          >
            Remove the values
          </Button>
          <Button size="small" onClick={() => setAsks(null)}>
            Keep them
          </Button>
        </p>
      ) : null}
      {misfit || failure ? (
        <div className={styles['notes']}>
          {misfit ? <Notice tone="warning">{misfit}</Notice> : null}
          {failure ? <ErrorNotice error={failure} /> : null}
        </div>
      ) : null}
    </section>
  )
}

interface SetChoiceProps extends Omit<SavedValuesProps, 'values'> {
  sets: readonly ParameterSet[]
  chosenId: string
  onChoose: (id: string) => void
}

/** The sets of the query, and those of queries that are not live: one of them may have had another name. */
function SetChoice({ live, query, sets, chosenId, onChoose }: SetChoiceProps) {
  const ofQuery = sets.filter((set) => set.query === query.name)
  const ofOthers = sets.filter((set) => !live.queries.some(({ name }) => name === set.query))
  const isNone = ofQuery.length + ofOthers.length === 0
  return (
    <SelectField
      label="Saved values"
      isLabelHidden
      value={chosenId}
      disabled={isNone}
      onChange={(event) => onChoose(event.target.value)}
    >
      <option value="">{isNone ? 'no saved values' : 'saved values…'}</option>
      {ofQuery.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
      {ofOthers.length > 0 ? (
        <optgroup label="Of queries that are not live">
          {ofOthers.map((set) => (
            <option key={set.id} value={set.id}>
              {set.query}: {set.name}
            </option>
          ))}
        </optgroup>
      ) : null}
    </SelectField>
  )
}

interface NamingProps {
  isPending: boolean
  onName: (name: string) => void
  onClose: () => void
}

function Naming({ isPending, onName, onClose }: NamingProps) {
  const [name, setName] = useState('')
  return (
    <Form className={styles['naming']} aria-label="Save values" onSubmit={() => onName(name.trim())}>
      <TextField
        label="Name of the values"
        maxLength={60}
        value={name}
        // The field was asked for by the button before it.
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus
        onChange={(event) => setName(event.target.value)}
      />
      <Button type="submit" look="primary" disabled={isPending || name.trim() === ''}>
        Save values
      </Button>
      <Button onClick={onClose}>Cancel</Button>
    </Form>
  )
}
