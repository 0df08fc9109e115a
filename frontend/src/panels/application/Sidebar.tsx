import { region } from '../../app/regions'
import styles from './application.module.css'
import { Files } from './Files'
import { Queries } from './Queries'
import { Tables } from './Tables'

/** The sidebar: the files of the application, its queries with their bounds, and its tables with their limits. */
export function Sidebar() {
  return (
    <aside className={styles['sidebar']} {...region('Application')}>
      <Files />
      <Queries />
      <Tables />
    </aside>
  )
}
