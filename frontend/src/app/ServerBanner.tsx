import { useQuery, useQueryClient } from '@tanstack/react-query'
import { PlugZap } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { isAway } from '../api/client'
import { health } from '../api/queries'
import { useRateLimit } from '../api/rate-limit'
import { compileAgain } from '../documents/compile-loop'
import { saveAgain } from '../documents/saving'
import styles from './app.module.css'
import { notify } from './notices'
import { useEnvironment } from './url-state'

/** Kinds of queries that are not read again: health is what is watched, and new samples would change a form in use. */
const NOT_READ_AGAIN = ['health', 'sample-parameters']

/**
 * Says that the server or its store does not answer. When it is back, or another server process answers, everything is
 * read again, texts are compiled and saved again, and a notice says so.
 */
export function ServerBanner() {
  const environment = useEnvironment()
  const queryClient = useQueryClient()
  const { data, error } = useQuery(health(environment))
  const isError = isAway(error)
  const rateMessage = useRateLimit((state) => state.message)
  /** What did not answer last time; null while all is well. */
  const wasAway = useRef<'server' | 'store' | null>(null)
  /** The id of the server process that answered last. */
  const instance = useRef<string | null>(null)

  useEffect(() => {
    if (isError) {
      wasAway.current = 'server'
      return
    }
    if (!data) return
    if (data.store?.healthy === false) {
      wasAway.current ??= 'store'
      return
    }
    const isRestarted = instance.current !== null && instance.current !== data.instance_id
    instance.current = data.instance_id
    const away = wasAway.current
    if (!away && !isRestarted) return
    wasAway.current = null
    void queryClient.invalidateQueries({ predicate: (query) => !NOT_READ_AGAIN.includes(String(query.queryKey[0])) })
    compileAgain()
    saveAgain()
    notify({
      tone: 'success',
      text: isRestarted
        ? 'The server was restarted; everything is up to date again.'
        : `The ${away} is answering again.`,
    })
  }, [data, isError, queryClient])

  if (!isError) {
    if (data?.store?.healthy === false) {
      return (
        <Banner>
          The store is not answering: {data.store.message ?? data.store.url}. Checking and planning still work.
        </Banner>
      )
    }
    return rateMessage === null ? null : <Banner>{rateMessage} Asking again in a moment…</Banner>
  }
  return <Banner>The workbench’s server is not answering; your text is safe here. Trying again…</Banner>
}

function Banner({ children }: { children: React.ReactNode }) {
  return (
    <div className={styles['banner']} role="alert">
      <PlugZap size={15} aria-hidden />
      <span>{children}</span>
    </div>
  )
}
