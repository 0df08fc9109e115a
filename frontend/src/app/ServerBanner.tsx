import { useQuery, useQueryClient } from '@tanstack/react-query'
import { PlugZap } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { health } from '../api/queries'
import { useRateLimit } from '../api/rate-limit'
import { compileAgain } from '../documents/compile-loop'
import { saveAgain } from '../documents/saving'
import styles from './app.module.css'
import { notify } from './notices'
import { useEnvironment } from './url-state'

/** What is not asked anew: the health itself, and samples, which would change a form under the reader's hands. */
const KEPT = ['health', 'sample-parameters']

/** Says when the server or its store is away, and asks everything anew when it is back or another server answers. */
export function ServerBanner() {
  const environment = useEnvironment()
  const queryClient = useQueryClient()
  const { data, isError } = useQuery(health(environment))
  const refused = useRateLimit((state) => state.message)
  const wasAway = useRef<'server' | 'store' | null>(null)
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
    void queryClient.invalidateQueries({ predicate: (query) => !KEPT.includes(String(query.queryKey[0])) })
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
    return refused === null ? null : <Banner>{refused} Asking again in a moment…</Banner>
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
