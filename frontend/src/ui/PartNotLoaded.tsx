import { useQuery } from '@tanstack/react-query'
import { isAway } from '../api/client'
import { health } from '../api/pulse'
import { useEnvironment } from '../app/url-state'
import { Button } from './Button'
import { EmptyState } from './EmptyState'

/** Stands for a part of the page that did not come from the server. A reload is offered once the server answers. */
export function PartNotLoaded() {
  const { error } = useQuery(health(useEnvironment()))
  if (isAway(error)) {
    return (
      <div role="alert">
        <EmptyState title="This part waits for the server">
          It had not been loaded before the server went away. What you typed is kept; do not reload the page yet.
        </EmptyState>
      </div>
    )
  }
  return (
    <div role="alert">
      <EmptyState
        title="This part could not be loaded"
        actions={
          <Button look="primary" onClick={() => location.reload()}>
            Reload the page
          </Button>
        }
      >
        The server was away when it was asked for, or the workbench was updated since. What you typed is kept.
      </EmptyState>
    </div>
  )
}
