import { useQuery } from '@tanstack/react-query'
import { overview } from '../../api/overview'
import { headlineOf, shownPlaces } from '../../logic/overview'
import { EmptyState } from '../../ui/EmptyState'
import { TextField } from '../../ui/Field'
import { ErrorNotice, Notice } from '../../ui/Notice'
import { ListPage } from '../ListPage'
import { replaceView, useView } from '../url-state'
import { WindowChoice } from '../WindowChoice'
import { InDanger } from './InDanger'
import styles from './overview.module.css'
import { Places } from './Places'

const HOUR_SECONDS = 3600

/** One dashboard over all applications that one may see: what is in danger, then each environment, the worst first. */
export default function OverviewPage() {
  const view = useView()
  const seconds = view.window ?? HOUR_SECONDS
  const { data, error } = useQuery(overview(seconds))
  const named = view.named ?? ''
  const places = data ? shownPlaces(data, named) : []
  const headline = headlineOf(places)
  return (
    <ListPage
      name="All applications"
      title="All applications"
      actions={
        <div className={styles['choices']} role="search" aria-label="What is shown">
          <TextField
            label="Names of applications or environments"
            isLabelHidden
            type="search"
            placeholder="shop, chat production"
            value={named}
            maxLength={200}
            onChange={(event) => replaceView({ named: event.target.value || undefined })}
          />
          <WindowChoice seconds={seconds} />
        </div>
      }
    >
      {error ? <ErrorNotice error={error} /> : null}
      {!data && !error ? <EmptyState title="Reading all applications…" /> : null}
      {data?.length === 0 ? (
        <EmptyState title="There is no application for you yet">
          Make one, or ask an administrator for a role in one.
        </EmptyState>
      ) : null}
      {data && data.length > 0 && places.length === 0 ? (
        <p role="status">No application or environment has “{named}” in its name.</p>
      ) : null}
      {places.length > 0 ? (
        <>
          <Notice tone={headline.tone} role="status">
            {headline.text}
          </Notice>
          <InDanger places={places} seconds={seconds} />
          <Places places={places} seconds={seconds} />
        </>
      ) : null}
    </ListPage>
  )
}
