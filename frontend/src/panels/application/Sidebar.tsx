import { Search } from 'lucide-react'
import { useDeferredValue, useRef, useState } from 'react'
import { region } from '../../app/regions'
import { Kbd } from '../../ui/Kbd'
import styles from './application.module.css'
import { CommentsRow } from './CommentsRow'
import { Files } from './Files'
import { FILTER_ID } from './filter'
import { Queries } from './Queries'
import { useRows } from './rows'
import { Tables } from './Tables'

/**
 * The sidebar: the files of the application, its queries with their bounds, and its tables with their limits, all under
 * one filter. Below them, how many threads of comments are open.
 */
export function Sidebar() {
  const sidebar = useRef<HTMLElement>(null)
  const [typed, setTyped] = useState('')
  const filter = useDeferredValue(typed.trim())
  useRows(sidebar)
  return (
    <aside ref={sidebar} className={styles['sidebar']} {...region('Application')}>
      <div className={styles['filter']}>
        <Search size={13} className={styles['rowIcon']} aria-hidden />
        <input
          id={FILTER_ID}
          type="search"
          className={styles['filterInput']}
          aria-label="Filter files, queries and tables"
          placeholder="Filter"
          spellCheck={false}
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Escape' || typed === '') return
            event.preventDefault()
            setTyped('')
          }}
        />
        <Kbd>F4</Kbd>
      </div>
      <div className={styles['lists']}>
        <Files filter={filter} />
        <Queries filter={filter} />
        <Tables filter={filter} />
      </div>
      <CommentsRow />
    </aside>
  )
}
