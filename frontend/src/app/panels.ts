/**
 * The one list of panels. To add one: a folder in panels/, a name in PANEL_IDS (logic/view.ts), an entry here.
 *
 * The tabs are in the order of the work: the plan with its bound and its schema, then measuring, choosing limits,
 * deploying, running, comparing; then what was and what is said about it.
 */
import {
  ChartNoAxesColumn,
  Gauge,
  Grid3x3,
  History,
  type LucideIcon,
  MessageSquare,
  Network,
  Play,
  Rocket,
  Sigma,
  Table2,
  Waypoints,
} from 'lucide-react'
import { type ComponentType, lazy } from 'react'
import type { PanelId } from '../logic/view'

export interface Panel {
  id: PanelId
  title: string
  icon: LucideIcon
  component: ComponentType
}

export const PANELS: readonly Panel[] = [
  { id: 'plan', title: 'Plan', icon: Network, component: lazy(() => import('../panels/plan/PlanPanel')) },
  {
    id: 'bounds',
    title: 'Bounds',
    icon: Sigma,
    component: lazy(() => import('../panels/bounds/BoundsPanel')),
  },
  {
    id: 'diagram',
    title: 'Diagram',
    icon: Waypoints,
    component: lazy(() => import('../panels/diagram/DiagramPanel')),
  },
  {
    id: 'profile',
    title: 'Profile',
    icon: Gauge,
    component: lazy(() => import('../panels/profile/ProfilePanel')),
  },
  {
    id: 'heatmap',
    title: 'Heatmap',
    icon: Grid3x3,
    component: lazy(() => import('../panels/heatmap/HeatmapPanel')),
  },
  {
    id: 'deploy',
    title: 'Deploy',
    icon: Rocket,
    component: lazy(() => import('../panels/deploy/DeployPanel')),
  },
  { id: 'run', title: 'Run', icon: Play, component: lazy(() => import('../panels/run/RunPanel')) },
  { id: 'data', title: 'Data', icon: Table2, component: lazy(() => import('../panels/data/DataPanel')) },
  {
    id: 'dashboard',
    title: 'Dashboard',
    icon: ChartNoAxesColumn,
    component: lazy(() => import('../panels/dashboard/DashboardPanel')),
  },
  {
    id: 'history',
    title: 'History',
    icon: History,
    component: lazy(() => import('../panels/history/HistoryPanel')),
  },
  {
    id: 'comments',
    title: 'Comments',
    icon: MessageSquare,
    component: lazy(() => import('../panels/comments/CommentsPanel')),
  },
]
