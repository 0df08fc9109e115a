import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { answered, api } from '../../api/client'
import { noteLogin, useLoginNeeded } from '../../api/login-needed'
import { session, waysToSignIn } from '../../api/session'
import { Dialog } from '../../ui/Dialog'
import { Notice } from '../../ui/Notice'
import { Prose } from '../../ui/Prose'
import { ProviderSignIn } from './ProviderSignIn'
import styles from './people.module.css'
import { SignInForm } from './SignInForm'

/**
 * The window, or in its place the login, where a team's workbench does not know who asks. A session that ends meanwhile
 * is begun again in a dialog: what is typed stays.
 */
export function SignedIn({ children }: { children: ReactNode }) {
  const { data } = useQuery(session)
  const queryClient = useQueryClient()
  const isNeeded = useLoginNeeded((state) => state.isNeeded)
  const goOn = () => {
    noteLogin()
    void queryClient.invalidateQueries()
  }
  if (data?.is_team && data.person === null) return <SignInPage />
  return (
    <>
      {children}
      {isNeeded && data?.person ? (
        <Dialog title="Your session has ended" onClose={() => useLoginNeeded.setState({ isNeeded: false })} isUnasked>
          <SignInAgain name={data.person.name} isByProvider={data.person.known_by === 'provider'} onSame={goOn} />
        </Dialog>
      ) : null}
    </>
  )
}

interface SignInAgainProps {
  name: string
  isByProvider: boolean
  onSame: () => void
}

/** The provider signs in again in a tab of its own: this page stays, and looks who is signed in once it is shown again. */
function SignInAgain({ name, isByProvider, onSame }: SignInAgainProps) {
  const { data: ways } = useQuery({ ...waysToSignIn(null), enabled: isByProvider })
  useEffect(() => {
    if (!isByProvider) return
    const look = async () => {
      const { person } = await answered(api.GET('/api/session'))
      if (person?.name === name) onSame()
      else if (person) location.reload()
    }
    const onFocus = () => void look().catch(() => undefined) // it is looked again at the next time
    window.addEventListener('focus', onFocus)
    return () => window.removeEventListener('focus', onFocus)
  })
  return (
    <div className={styles['form']}>
      <p className={styles['hint']}>What you have typed stays. Sign in to go on.</p>
      {isByProvider && ways?.provider ? (
        <>
          <ProviderSignIn provider={ways.provider} returnTo="/" isInNewTab />
          <p className={styles['hint']}>Then come back to this tab.</p>
        </>
      ) : (
        <SignInForm name={name} onSame={onSame} />
      )}
    </div>
  )
}

const REFUSED = 'refused'

/** The page that is asked for, without the code of a refusal. */
function wantedPage(): { page: string; refused: string | null } {
  const url = new URL(location.href)
  const refused = url.searchParams.get(REFUSED)
  url.searchParams.delete(REFUSED)
  return { page: `${url.pathname}${url.search}${url.hash}`, refused }
}

function SignInPage() {
  const main = useRef<HTMLElement>(null)
  const [{ page, refused }] = useState(wantedPage)
  const { data: ways } = useQuery(waysToSignIn(refused))
  const provider = ways?.provider
  useEffect(() => {
    document.title = 'Sign in · PIQL Workbench'
    main.current?.querySelector('input')?.focus()
    if (refused !== null) history.replaceState(history.state, '', page)
  }, [page, refused])
  return (
    <main ref={main} className={styles['page']}>
      <h1 className={styles['title']}>Sign in to the PIQL Workbench</h1>
      {ways?.refusal ? (
        <Notice tone="danger" role="alert" help={<Prose text={ways.refusal.help} />}>
          <Prose text={ways.refusal.message} />
        </Notice>
      ) : null}
      {provider ? (
        <>
          <ProviderSignIn provider={provider} returnTo={page} />
          <p className={styles['or']}>or by a password of this workbench</p>
        </>
      ) : null}
      <SignInForm name="" isSecond={Boolean(provider)} />
      <p className={styles['hint']}>An administrator of this workbench gives accounts and new passwords.</p>
    </main>
  )
}
