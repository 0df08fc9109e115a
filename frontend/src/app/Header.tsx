import { Bell, BookOpen, Keyboard, Monitor, Moon, Search, Sun } from 'lucide-react'
import { useShallow } from 'zustand/react/shallow'
import { type TextDocument, useDocuments } from '../documents/documents'
import { guideOf, HOME, isSidePage, type SidePage } from '../logic/view'
import { IconButton } from '../ui/Button'
import { Kbd } from '../ui/Kbd'
import { plural } from '../units'
import appStyles from './app.module.css'
import { HeaderMenu } from './HeaderMenu'
import styles from './header.module.css'
import { useHeaderRoom } from './header-room'
import { AccountMenu } from './people/AccountMenu'
import { Switcher } from './Switcher'
import { chooseTheme, nextTheme, useTheme } from './theme'
import { hrefTo, useView } from './url-state'
import { ViewLink } from './ViewLink'

const THEME_ICONS = { system: Monitor, light: Sun, dark: Moon }

interface HeaderProps {
  onPalette: () => void
  onShortcuts: () => void
  onNotices: () => void
}

/**
 * The bar at the top: pages, search, the state of saving, notices, shortcuts, theme. On a narrow window its tools are in
 * a menu, and on a very narrow one the pages too.
 */
export function Header({ onPalette, onShortcuts, onNotices }: HeaderProps) {
  const view = useView()
  const choice = useTheme((state) => state.choice)
  const ThemeIcon = THEME_ICONS[choice]
  const room = useHeaderRoom()
  const isOfApplication = view.page === 'workbench' || isSidePage(view.page)
  const pages = isOfApplication ? (
    <nav className={styles['nav']} aria-label="Pages">
      <PageLink page="workbench" title="Workbench" />
      <PageLink page="dashboard" title="Dashboard" />
      <PageLink page="capacity" title="Capacity" />
      <PageLink page="load-runs" title="Load runs" />
      <PageLink page="requests" title="Requests" />
      <PageLink page="alerts" title="Alerts" />
    </nav>
  ) : null
  const search = (
    <button type="button" className={styles['search']} onClick={onPalette} title="Command palette">
      <Search size={14} aria-hidden />
      <span>Search or run a command</span>
      <Kbd>F1</Kbd>
    </button>
  )
  const tools = (
    <div className={styles['tools']}>
      <GuideLink isBeside={isOfApplication} />
      <IconButton label="Earlier notices" onClick={onNotices}>
        <Bell size={16} aria-hidden />
      </IconButton>
      <IconButton label="Keyboard shortcuts" onClick={onShortcuts}>
        <Keyboard size={16} aria-hidden />
      </IconButton>
      <IconButton label={`Theme: ${choice}`} onClick={() => chooseTheme(nextTheme(choice))}>
        <ThemeIcon size={16} aria-hidden />
      </IconButton>
    </div>
  )
  return (
    <header className={styles['header']}>
      <ViewLink className={styles['brand']} to={HOME} title="All applications">
        <Logo />
        <span>PIQL</span>
      </ViewLink>
      {isOfApplication ? (
        <>
          <span className={styles['slash']} aria-hidden>
            /
          </span>
          <Switcher />
        </>
      ) : null}
      {room.pages ? pages : null}
      <span className={appStyles['grow']} />
      {view.page === 'workbench' ? <SaveState /> : null}
      {room.search ? search : null}
      {room.tools ? (
        tools
      ) : (
        <HeaderMenu>
          {room.pages ? null : pages}
          {room.search ? null : search}
          {tools}
        </HeaderMenu>
      )}
      <AccountMenu />
    </header>
  )
}

function PageLink({ page, title }: { page: 'workbench' | SidePage; title: string }) {
  const view = useView()
  return (
    <ViewLink
      to={{ page, request: undefined, loadRun: undefined }}
      className={styles['navLink']}
      aria-current={view.page === page ? 'page' : undefined}
    >
      {title}
    </ViewLink>
  )
}

/** Leads to the guide; from an application in a tab of its own, so that one can read and try. */
function GuideLink({ isBeside }: { isBeside: boolean }) {
  const content = (
    <>
      <BookOpen size={16} aria-hidden />
      <span>Guide</span>
    </>
  )
  return isBeside ? (
    <a href={hrefTo(guideOf())} target="_blank" rel="noreferrer" className={styles['guide']} title="Opens in a new tab">
      {content}
    </a>
  ) : (
    <ViewLink to={guideOf()} className={styles['guide']}>
      {content}
    </ViewLink>
  )
}

function SaveState() {
  const { text, tone } = useDocuments(useShallow((state) => saveText(state.files)))
  const isOpen = useDocuments((state) => state.application !== null)
  if (!isOpen) return null
  return (
    <span className={styles['saveState']} data-tone={tone} role="status" aria-label="Save state">
      <span className={styles['saveDot']} aria-hidden />
      {text}
    </span>
  )
}

function saveText(files: readonly TextDocument[]): { text: string; tone: string } {
  const count = (state: TextDocument['saveState']) => files.filter((file) => file.saveState === state).length
  if (count('conflict') > 0) return { text: 'Conflict', tone: 'danger' }
  if (count('failed') > 0) return { text: 'Kept in this browser', tone: 'warning' }
  if (count('saving') > 0) return { text: 'Saving…', tone: 'soft' }
  if (count('changed') > 0) return { text: `${plural(count('changed'), 'file')} changed`, tone: 'soft' }
  return { text: 'Saved', tone: 'accent' }
}

function Logo() {
  return (
    <svg width="22" height="22" viewBox="0 0 32 32" aria-hidden>
      <rect width="32" height="32" rx="8" fill="var(--accent)" />
      <path
        d="M10 25V7h7a5.75 5.75 0 0 1 0 11.5h-7M22 25h3"
        fill="none"
        stroke="var(--on-accent)"
        strokeWidth="3.2"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  )
}
