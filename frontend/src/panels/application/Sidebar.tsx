import { region } from '../../app/regions'
import styles from './application.module.css'
import { Files } from './Files'
import { Queries } from './Queries'
import { Tables } from './Tables'

/** The application: its queries with their bounds, its tables with their limits, its files. */
export function Sidebar() {
  return (
    <aside className={styles['sidebar']} {...region('Application')}>
      <Files />
      <Queries />
      <Tables />
    </aside>
  )
}
