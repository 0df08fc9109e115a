/**
 * The one list of panels. To add one: a folder in panels/, a name in PANEL_IDS (logic/view.ts), an entry here.
 *
 * The tabs are in the order of the work: problems first, then the plan with its bound and its schema, then measuring,
 * choosing limits, deploying, running, comparing.
 */
import {
  ChartNoAxesColumn,
  CircleAlert,
  Gauge,
  Grid3x3,
  History,
  type LucideIcon,
  Network,
  Play,
  Rocket,
  Sigma,
  Table2,
  Waypoints,
} from 'lucide-react'
import { type ComponentType, lazy } from 'react'
import type { PanelId } from '../logic/view'
import { ProblemsPanel } from '../panels/problems/ProblemsPanel'

export interface Panel {
  id: PanelId
  title: string
  icon: LucideIcon
  /** Where the panel lives on a wide window; on a narrow one all share the bottom. */
  home: 'side' | 'bottom'
  component: ComponentType
}

export const PANELS: readonly Panel[] = [
  { id: 'problems', title: 'Problems', icon: CircleAlert, home: 'bottom', component: ProblemsPanel },
  { id: 'plan', title: 'Plan', icon: Network, home: 'side', component: lazy(() => import('../panels/plan/PlanPanel')) },
  {
    id: 'bounds',
    title: 'Bounds',
    icon: Sigma,
    home: 'side',
    component: lazy(() => import('../panels/bounds/BoundsPanel')),
  },
  {
    id: 'diagram',
    title: 'Diagram',
    icon: Waypoints,
    home: 'side',
    component: lazy(() => import('../panels/diagram/DiagramPanel')),
  },
  {
    id: 'profile',
    title: 'Profile',
    icon: Gauge,
    home: 'side',
    component: lazy(() => import('../panels/profile/ProfilePanel')),
  },
  {
    id: 'heatmap',
    title: 'Heatmap',
    icon: Grid3x3,
    home: 'side',
    component: lazy(() => import('../panels/heatmap/HeatmapPanel')),
  },
  {
    id: 'deploy',
    title: 'Deploy',
    icon: Rocket,
    home: 'side',
    component: lazy(() => import('../panels/deploy/DeployPanel')),
  },
  { id: 'run', title: 'Run', icon: Play, home: 'side', component: lazy(() => import('../panels/run/RunPanel')) },
  { id: 'data', title: 'Data', icon: Table2, home: 'side', component: lazy(() => import('../panels/data/DataPanel')) },
  {
    id: 'dashboard',
    title: 'Dashboard',
    icon: ChartNoAxesColumn,
    home: 'side',
    component: lazy(() => import('../panels/dashboard/DashboardPanel')),
  },
  {
    id: 'history',
    title: 'History',
    icon: History,
    home: 'side',
    component: lazy(() => import('../panels/history/HistoryPanel')),
  },
]
