import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { deployment } from '../../api/queries'
import type { DeployRequestDetail, SourceFile } from '../../api/types'
import { fileChanges, isUnchanged } from '../../logic/deploy-state'
import { isOver, losses } from '../../logic/request-words'
import { Changes } from '../../panels/deploy/Changes'
import { SlosAtRisk } from '../../panels/deploy/SlosAtRisk'
import { ErrorNotice, Notice } from '../../ui/Notice'
import { TextDiff } from '../../ui/TextDiff'
import { PriceBasis } from '../PriceBasis'
import { usePricesOf } from '../prices'
import { useEnvironment } from '../url-state'
import styles from './requests.module.css'

const NO_FILES: SourceFile[] = []

/** What a request changes of what is live, or changed of its base once it is over; what is lost comes first. */
export function WhatChanges({ request }: { request: DeployRequestDetail }) {
  const titleId = useId()
  const environment = useEnvironment()
  const { preview } = request
  const isNew = preview.base_version === 0
  const { data: before, error } = useQuery({
    ...deployment(environment, `d${preview.base_version}`),
    enabled: !isNew,
    staleTime: Infinity,
  })
  const files = isNew || before ? fileChanges(before?.files ?? [], request.files) : []
  const lost = losses(preview)
  const pricesBefore = usePricesOf(`version d${preview.base_version}`, before?.files ?? NO_FILES)
  const pricesAfter = usePricesOf(`request ${request.number} ${request.revision}`, request.files)
  return (
    <section className={styles['section']} aria-labelledby={titleId}>
      <h2 id={titleId}>What changes</h2>
      {lost.length > 0 ? (
        <Notice tone="danger">
          <ul className={styles['missing']} aria-label="What is lost">
            {lost.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </Notice>
      ) : null}
      {isOver(request) ? null : <SlosAtRisk preview={preview} />}
      {isUnchanged(preview) ? <p>No table, query, index or bound changes.</p> : null}
      <div className={styles['changes']}>
        <Changes
          changes={preview}
          columns={[isOver(request) ? 'Before' : 'Live', 'Requested']}
          pricesBefore={pricesBefore.byQuery}
          pricesAfter={pricesAfter.byQuery}
        />
        {preview.bounds_changed.length > 0 ? <PriceBasis report={pricesAfter.report} /> : null}
        {error ? <ErrorNotice error={error} /> : null}
        <TextDiff files={files} />
      </div>
    </section>
  )
}
