import DashboardPanel from '../panels/dashboard/DashboardPanel'
import styles from './app.module.css'
import { region } from './regions'

/** The dashboard on a page of its own; the editor is never loaded here. */
export default function DashboardPage() {
  return (
    <main id="content" className={styles['dashboardPage']} {...region('Dashboard')}>
      <h1 className="visually-hidden">Dashboard</h1>
      <DashboardPanel />
    </main>
  )
}
