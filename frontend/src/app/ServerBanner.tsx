import { useQuery, useQueryClient } from '@tanstack/react-query'
import { PlugZap } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { isAway, isDeleted } from '../api/client'
import { health } from '../api/pulse'
import { useRateLimit } from '../api/rate-limit'
import styles from './app.module.css'
import { catchUp, stopCatchingUp, useCatchingUp } from './catching-up'
import { useEnvironment } from './url-state'

/**
 * Says that the server or its store does not answer. When it is back, or another server process answers, the page
 * catches up, which is said until it is done.
 */
export function ServerBanner() {
  const environment = useEnvironment()
  const queryClient = useQueryClient()
  const { data, error } = useQuery(health(environment))
  const isError = isAway(error)
  const rateMessage = useRateLimit((state) => state.message)
  const after = useCatchingUp((state) => state.after)
  /** What did not answer last time; null while all is well. */
  const wasAway = useRef<'server' | 'store' | null>(null)
  /** The id of the server process that answered last. */
  const instance = useRef<string | null>(null)

  useEffect(() => {
    if (isError || data?.store?.healthy === false) {
      wasAway.current = isError ? 'server' : (wasAway.current ?? 'store')
      stopCatchingUp()
      return
    }
    if (!data) return
    const isRestarted = instance.current !== null && instance.current !== data.instance_id
    instance.current = data.instance_id
    const away = wasAway.current
    if (!away && !isRestarted) return
    wasAway.current = null
    void catchUp(queryClient, isRestarted ? 'The server was restarted' : `The ${away} is answering again`)
  }, [data, isError, queryClient])

  if (isDeleted(error) && data) {
    return (
      <Banner>
        The application {environment.application} was deleted; what you typed and is not saved is kept in this browser.
      </Banner>
    )
  }
  if (isError) return <Banner>The workbench’s server is not answering; your text is safe here. Trying again…</Banner>
  if (data?.store?.healthy === false) {
    return (
      <Banner>
        The store is not answering: {data.store.message ?? data.store.url}. Checking and planning still work.
      </Banner>
    )
  }
  if (after !== null) return <Banner>{after}; everything is being read again…</Banner>
  return rateMessage === null ? null : <Banner>{rateMessage} Asking again in a moment…</Banner>
}

function Banner({ children }: { children: React.ReactNode }) {
  return (
    <div className={styles['banner']} role="alert">
      <PlugZap size={15} aria-hidden />
      <span>{children}</span>
    </div>
  )
}
