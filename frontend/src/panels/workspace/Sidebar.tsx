import { region } from '../../app/regions'
import { Files } from './Files'
import { Queries } from './Queries'
import { Tables } from './Tables'
import styles from './workspace.module.css'

/** The workspace: its queries with their bounds, its tables with their limits, its files. */
export function Sidebar() {
  return (
    <aside className={styles['sidebar']} {...region('Workspace')}>
      <Files />
      <Queries />
      <Tables />
    </aside>
  )
}
