import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Archive, ArchiveRestore, Copy, Download, Layers, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { latency } from '../../api/latency-queries'
import { health } from '../../api/pulse'
import { deployments, environments } from '../../api/queries'
import type { ApplicationSummary, Health } from '../../api/types'
import { deployerText } from '../../logic/request-words'
import { dangerSummary } from '../../logic/slo-summary'
import { DEVELOPMENT, viewOf } from '../../logic/view'
import { Badge } from '../../ui/Badge'
import { IconButton } from '../../ui/Button'
import { Cell } from '../../ui/Table'
import { formatDay, plural } from '../../units'
import { EnvironmentsDialog } from '../environments/EnvironmentsDialog'
import { toneOf } from '../environments/tone'
import { ViewLink } from '../ViewLink'
import { DeleteApplication, NamedApplication } from './dialogs'
import styles from './home.module.css'
import { MissingSample } from './MissingSample'
import { useApplicationChange } from './useApplicationChange'

const HOUR_SECONDS = 3600
type Asked = 'rename' | 'duplicate' | 'delete' | 'environments' | null

/** One row of the list: a link to the application, what is live in development, and buttons that change it. */
export function ApplicationRow({ application }: { application: ApplicationSummary }) {
  const { id, title, is_archived: isArchived, changed_at: changedAt } = application
  const [first = DEVELOPMENT] = application.environments
  const [asked, setAsked] = useState<Asked>(null)
  const { archive, exported } = useApplicationChange(id)
  const close = () => setAsked(null)
  return (
    <tr>
      <th scope="row" className={styles['name']}>
        {isArchived ? title : <ViewLink to={viewOf(id, first)}>{title}</ViewLink>}
        {title === id ? null : <span className={styles['id']}> {id}</span>}
        {isArchived || application.environments.length === 1 ? null : <EnvironmentLinks application={id} />}
      </th>
      {isArchived ? (
        <Cell colSpan={3} className={styles['soft']}>
          Closed; its files and data are kept
        </Cell>
      ) : (
        <Live application={id} environment={first} />
      )}
      <Cell>{formatDay(changedAt)}</Cell>
      <Cell className={styles['actions']}>
        <IconButton
          label={`Environments of ${title}`}
          size="small"
          disabled={isArchived}
          onClick={() => setAsked('environments')}
        >
          <Layers size={13} aria-hidden />
        </IconButton>
        <IconButton label={`Rename ${title}`} size="small" onClick={() => setAsked('rename')}>
          <Pencil size={13} aria-hidden />
        </IconButton>
        <IconButton label={`Duplicate ${title}`} size="small" onClick={() => setAsked('duplicate')}>
          <Copy size={13} aria-hidden />
        </IconButton>
        <IconButton
          label={`Export ${title}`}
          size="small"
          disabled={exported.isPending}
          onClick={() => exported.mutate()}
        >
          <Download size={13} aria-hidden />
        </IconButton>
        <IconButton
          label={isArchived ? `Bring ${title} back` : `Archive ${title}`}
          size="small"
          onClick={() => archive.mutate(!isArchived)}
        >
          {isArchived ? <ArchiveRestore size={13} aria-hidden /> : <Archive size={13} aria-hidden />}
        </IconButton>
        <IconButton label={`Delete ${title}`} size="small" onClick={() => setAsked('delete')}>
          <Trash2 size={13} aria-hidden />
        </IconButton>
        {asked === 'rename' || asked === 'duplicate' ? (
          <NamedApplication does={asked} application={application} onClose={close} />
        ) : null}
        {asked === 'environments' ? <EnvironmentsDialog application={id} title={title} onClose={close} /> : null}
        {asked === 'delete' ? <DeleteApplication application={application} onClose={close} /> : null}
      </Cell>
    </tr>
  )
}

/** Where an application runs: each environment in its colour leads there. */
function EnvironmentLinks({ application }: { application: string }) {
  const { data } = useQuery(environments(application))
  return (
    <span className={styles['environments']}>
      {data?.map(({ id, title, colour }) => (
        <ViewLink key={id} to={viewOf(application, id)}>
          <Badge tone={toneOf(colour)}>{title}</Badge>
        </ViewLink>
      ))}
    </span>
  )
}

const missingSample = (asked?: Health) =>
  asked?.problems.find(({ what, is_over: isOver }) => what === 'sample' && !isOver)

/**
 * Three cells: the live version, how its SLOs were kept in the last hour, and when it was deployed, by whom. Where its
 * sample could not be loaded, that stands in their place.
 */
function Live({ application, environment: name }: { application: string; environment: string }) {
  const environment = { application, environment: name }
  const { data: versions, error } = useInfiniteQuery(deployments(environment))
  const live = versions?.find((version) => version.is_live)
  const { data: measured } = useQuery({
    ...latency(environment, live?.id ?? '', HOUR_SECONDS, 'both'),
    enabled: live !== undefined,
    refetchInterval: 15_000,
  })
  const { data: state } = useQuery({
    ...health(environment),
    // Asked once of each application that has its sample: to ask is a request to its store.
    refetchInterval: ({ state: asked }) =>
      asked.status === 'error' || missingSample(asked.data?.health) ? 15_000 : false,
    refetchOnWindowFocus: false,
  })
  const sample = missingSample(state)
  const summary = measured ? dangerSummary(measured.queries) : null
  if (error && !versions)
    return (
      <Cell colSpan={3}>
        <Badge tone="danger">not answering</Badge> {error.message}
      </Cell>
    )
  if (sample) return <MissingSample environment={environment} why={sample.message} />
  return (
    <>
      <Cell>
        {live
          ? `Version ${live.version}, ${plural(live.queries.length, 'query', 'queries')}`
          : versions
            ? 'Nothing deployed'
            : '…'}
      </Cell>
      <Cell>{summary ? <Badge tone={summary.tone}>{summary.text}</Badge> : null}</Cell>
      <Cell>{live ? `${formatDay(live.created_at)}${deployerText(live, application)}` : null}</Cell>
    </>
  )
}
