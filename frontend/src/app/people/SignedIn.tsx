import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef } from 'react'
import { useLoginNeeded } from '../../api/login-needed'
import { session } from '../../api/session'
import { Dialog } from '../../ui/Dialog'
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
    useLoginNeeded.setState({ isNeeded: false })
    void queryClient.invalidateQueries()
  }
  if (data?.is_team && data.person === null) return <SignInPage />
  return (
    <>
      {children}
      {isNeeded && data?.person ? (
        <Dialog title="Your session has ended" onClose={() => useLoginNeeded.setState({ isNeeded: false })}>
          <div className={styles['form']}>
            <p className={styles['hint']}>What you have typed stays. Sign in to go on.</p>
            <SignInForm name={data.person.name} onSame={goOn} />
          </div>
        </Dialog>
      ) : null}
    </>
  )
}

function SignInPage() {
  const main = useRef<HTMLElement>(null)
  useEffect(() => {
    document.title = 'Sign in · PIQL Workbench'
    main.current?.querySelector('input')?.focus()
  }, [])
  return (
    <main ref={main} className={styles['page']}>
      <h1 className={styles['title']}>Sign in to the PIQL Workbench</h1>
      <SignInForm name="" />
      <p className={styles['hint']}>An administrator of this workbench gives accounts and new passwords.</p>
    </main>
  )
}
