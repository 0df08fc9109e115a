import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { comparison, compilationOf } from '../../api/queries'
import type { Compilation, Query, Stage } from '../../api/types'
import { useChosenRun } from '../../app/predictions'
import { setView, useView } from '../../app/url-state'
import { aboutMs } from '../../logic/estimate'
import { planDifference } from '../../logic/plan-difference'
import { EmptyState } from '../../ui/EmptyState'
import { SelectField } from '../../ui/Field'
import { ErrorNotice } from '../../ui/Notice'
import { formatCount } from '../../units'
import { StageBeside } from '../plan/StageBeside'
import styles from './history.module.css'
import { type Side, useSidePredictions } from './side'

/** A choice of one query, and its plans in both versions side by side, with bound and predicted p99. */
export function PlansBetween({ before, after }: { before: Side; after: Side }) {
  const { plans: name = '' } = useView()
  const { data: changes } = useQuery(comparison(before.files, after.files))
  const ofBefore = useQuery({ ...compilationOf(before.files, name), placeholderData: keepPreviousData })
  const ofAfter = useQuery({ ...compilationOf(after.files, name), placeholderData: keepPreviousData })
  const [compiledBefore, compiledAfter] = [ofBefore.data, ofAfter.data]
  const error = ofBefore.error ?? ofAfter.error
  if (error) return <ErrorNotice error={error} />
  if (!compiledBefore || !compiledAfter) return null
  const isCompiling = ofBefore.isPlaceholderData || ofAfter.isPlaceholderData
  const names = [...new Set([...namesOf(compiledAfter), ...namesOf(compiledBefore)])]
  const changed = new Set([...(changes?.added ?? []), ...(changes?.changed ?? []), ...(changes?.removed ?? [])])
  const isKnown = names.includes(name)
  return (
    <>
      <SelectField
        label="Plans of"
        value={isKnown ? name : ''}
        onChange={(event) => setView({ plans: event.target.value || undefined })}
      >
        <option value="">no query</option>
        <QueryNames label="changed" names={names.filter((query) => changed.has(query))} />
        <QueryNames label="the same" names={names.filter((query) => !changed.has(query))} />
      </SelectField>
      {isCompiling ? (
        <p className={styles['reading']}>Compiling both…</p>
      ) : isKnown ? (
        <PlansOf
          name={name}
          before={{ side: before, query: queryOf(compiledBefore, name) }}
          after={{ side: after, query: queryOf(compiledAfter, name) }}
        />
      ) : name === '' ? null : (
        <p className={styles['reading']}>Neither version has a query {name}.</p>
      )}
    </>
  )
}

function QueryNames({ label, names }: { label: string; names: readonly string[] }) {
  return names.length > 0 ? (
    <optgroup label={label}>
      {names.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </optgroup>
  ) : null
}

interface Version {
  side: Side
  query: Query | undefined
}

function PlansOf({ name, before, after }: { name: string; before: Version; after: Version }) {
  const [first, second] = [before.query?.stages.at(-1), after.query?.stages.at(-1)]
  const difference =
    before.query && after.query && first && second
      ? planDifference(
          { plan: first.plan, bound: before.query.bound },
          { plan: second.plan, bound: after.query.bound },
          after.side.name,
        )
      : null
  return (
    <>
      {difference ? (
        <p role="status" className={styles['difference']} aria-label={`Difference of the plans of ${name}`}>
          {difference}
        </p>
      ) : null}
      <div className={styles['plans']}>
        <PlanOf name={name} version={before} stage={first} beside={second} />
        <PlanOf name={name} version={after} stage={second} beside={first} />
      </div>
    </>
  )
}

interface PlanOfProps {
  name: string
  version: Version
  stage: Stage | undefined
  /** The stage of the other version. */
  beside: Stage | undefined
}

function PlanOf({ name, version: { side, query }, stage, beside }: PlanOfProps) {
  const hasRun = useChosenRun() !== null
  const predicted = useSidePredictions(side, query?.bound ? [name] : []).get(name)
  const title = side.name.charAt(0).toUpperCase() + side.name.slice(1)
  return (
    <section className={styles['plan']} aria-label={`Plan in ${side.name}`}>
      <p className={styles['planHead']}>
        <strong>{title}</strong>
        {query ? boundInWords(query) : null}
        {query?.bound
          ? ` · p99 ${predicted ? aboutMs(predicted.typical_p99_ms) : hasRun ? '…' : 'not measured'}`
          : null}
      </p>
      {stage ? (
        <div className={styles['drawing']}>
          <StageBeside
            label={`Plan of ${name} in ${side.name}`}
            subject={`${side.name}/${name}`}
            stage={stage}
            beside={beside}
            prediction={predicted}
          />
        </div>
      ) : (
        <EmptyState title={query ? `${name} has no plan here` : `There is no ${name} here`}>
          {query ? 'Its text cannot be planned.' : null}
        </EmptyState>
      )}
    </section>
  )
}

function boundInWords({ bound }: Query): string {
  return bound ? `≤ ${formatCount(bound.operations)} ops` : '∞ unbounded'
}

function namesOf({ queries }: Compilation): string[] {
  return queries.map(({ name }) => name)
}

function queryOf({ queries }: Compilation, name: string): Query | undefined {
  return queries.find((query) => query.name === name)
}
