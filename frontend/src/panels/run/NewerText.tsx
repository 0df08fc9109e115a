import { useQuery } from '@tanstack/react-query'
import { preview } from '../../api/queries'
import type { Deployment } from '../../api/types'
import { openPanel } from '../../app/panel-view'
import { openProblems } from '../../app/problems-drawer'
import { useShownAnswer } from '../../app/shown-compilation'
import { useEnvironment } from '../../app/url-state'
import { Button } from '../../ui/Button'
import styles from './run.module.css'

/** Says that the text of a query is newer than its live version, which is what runs. */
export function NewerText({ live, query }: { live: Deployment; query: string }) {
  const environment = useEnvironment()
  const { compilation, files, version } = useShownAnswer()
  const { data } = useQuery({ ...preview(environment, version, files), enabled: version >= 0 })
  const compiled = compilation?.queries.find((candidate) => candidate.name === query)
  const hasNoBound = compiled !== undefined && !compiled.bound
  if (!hasNoBound && !data?.changed.includes(query)) return null
  return (
    <p className={styles['notLive']} role="status">
      {hasNoBound ? `The text of ${query} has no bound now` : `The text of ${query} has changed`}; version{' '}
      {live.version} runs as it was deployed.{' '}
      <Button size="small" onClick={() => (hasNoBound ? openProblems() : openPanel('deploy'))}>
        {hasNoBound ? 'Show the problem' : 'Deploy it'}
      </Button>
    </p>
  )
}
