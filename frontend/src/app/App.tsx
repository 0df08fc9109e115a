import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useState } from 'react'
import { Unreachable } from '../api/client'
import { startSigns } from '../documents/tab'
import type { View } from '../logic/view'
import { keepFocus } from '../ui/focus-keeper'
import { PartBoundary } from '../ui/PartBoundary'
import styles from './app.module.css'
import { useNamedApplication } from './application-choice'
import { EarlierNotices } from './EarlierNotices'
import { Header } from './Header'
import { KnownEnvironment } from './KnownEnvironment'
import { useKeys } from './keys'
import { Notices } from './Notices'
import { SignedIn } from './people/SignedIn'
import { ServerBanner } from './ServerBanner'
import { Shortcuts } from './Shortcuts'
import { SkipLink } from './SkipLink'
import { useToldAnswers } from './told-answers'
import { useView } from './url-state'

const WorkbenchPage = lazy(() => import('./WorkbenchPage'))
const DashboardPage = lazy(() => import('./DashboardPage'))
const CapacityPage = lazy(() => import('./capacity/CapacityPage'))
const LoadRunsPage = lazy(() => import('./load-runs/LoadRunsPage'))
const AlertsPage = lazy(() => import('./alerts/AlertsPage'))
const RequestsPage = lazy(() => import('./requests/RequestsPage'))
const HomePage = lazy(() => import('./home/HomePage'))
const OverviewPage = lazy(() => import('./overview/OverviewPage'))
const ExperimentsPage = lazy(() => import('./experiments/ExperimentsPage'))
const PeoplePage = lazy(() => import('./people/PeoplePage'))
const AccountPage = lazy(() => import('./people/AccountPage'))
const RecordPage = lazy(() => import('./people/RecordPage'))
const GuidePage = lazy(() => import('./guide/GuidePage'))
const Palette = lazy(() => import('./Palette'))
const Tour = lazy(() => import('./tour/Tour'))
const CodePage = lazy(() => import('../panels/reference/CodePage'))

const PAGE_TITLES: Partial<Record<View['page'], string>> = {
  dashboard: 'Dashboard',
  capacity: 'Capacity',
  'load-runs': 'Load runs',
  alerts: 'Alerts',
  requests: 'Requests',
  guide: 'Guide',
  experiments: 'Experiments',
  overview: 'All applications',
  people: 'People',
  account: 'Your account',
  record: 'Record',
}

function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      // The server may be this machine: a browser without a network reaches it all the same, and says when it does not.
      mutations: { networkMode: 'always' },
      queries: {
        networkMode: 'always',
        staleTime: 2000,
        refetchOnWindowFocus: false,
        retry: (count, error) => error instanceof Unreachable && count < 3,
      },
    },
  })
}

/** The whole window: the header, the page that the URL names, and over it notices, the page of a code and dialogs. */
export function App() {
  const [queryClient] = useState(makeQueryClient)
  return (
    <QueryClientProvider client={queryClient}>
      <SignedIn>
        <Pages />
      </SignedIn>
    </QueryClientProvider>
  )
}

function Pages() {
  const { page, application, environment, query, code, tour } = useView()
  const { overlay, setOverlay } = useKeys()
  useNamedApplication()
  useToldAnswers()
  useEffect(startSigns, [])
  useEffect(keepFocus, [])
  useEffect(() => {
    document.title = [PAGE_TITLES[page] ?? query, application, 'PIQL Workbench'].filter(Boolean).join(' · ')
  }, [page, application, query])
  return (
    <div className={styles['app']}>
      <SkipLink />
      <Header
        onPalette={() => setOverlay('palette')}
        onShortcuts={() => setOverlay('shortcuts')}
        onNotices={() => setOverlay('notices')}
      />
      <ServerBanner />
      {/* Each page is loaded when it is opened, so that none weighs on another. */}
      <PartBoundary key={page}>
        <Suspense fallback={null}>
          {page === 'home' ? (
            <HomePage />
          ) : page === 'guide' ? (
            <GuidePage />
          ) : page === 'experiments' ? (
            <ExperimentsPage />
          ) : page === 'overview' ? (
            <OverviewPage />
          ) : page === 'people' ? (
            <PeoplePage />
          ) : page === 'account' ? (
            <AccountPage />
          ) : page === 'record' ? (
            <RecordPage />
          ) : (
            <KnownEnvironment key={`${application}/${environment}`}>
              {page === 'dashboard' ? (
                <DashboardPage />
              ) : page === 'capacity' ? (
                <CapacityPage />
              ) : page === 'load-runs' ? (
                <LoadRunsPage />
              ) : page === 'alerts' ? (
                <AlertsPage />
              ) : page === 'requests' ? (
                <RequestsPage />
              ) : (
                <WorkbenchPage />
              )}
            </KnownEnvironment>
          )}
        </Suspense>
      </PartBoundary>
      <Notices />
      {tour && page === 'workbench' ? (
        <Suspense fallback={null}>
          <Tour />
        </Suspense>
      ) : null}
      {code ? (
        <PartBoundary>
          <Suspense fallback={null}>
            <CodePage code={code} />
          </Suspense>
        </PartBoundary>
      ) : null}
      {overlay === 'palette' ? (
        <Suspense fallback={null}>
          <Palette onClose={() => setOverlay(null)} show={setOverlay} />
        </Suspense>
      ) : null}
      {overlay === 'shortcuts' ? <Shortcuts onClose={() => setOverlay(null)} /> : null}
      {overlay === 'notices' ? <EarlierNotices onClose={() => setOverlay(null)} /> : null}
    </div>
  )
}
