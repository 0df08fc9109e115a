/** The state of the view as a URL and back: whatever is shown can be sent to somebody else. */

const PANEL_IDS = [
  'problems',
  'plan',
  'bounds',
  'diagram',
  'profile',
  'heatmap',
  'deploy',
  'run',
  'data',
  'dashboard',
  'history',
] as const
export type PanelId = (typeof PANEL_IDS)[number]

export interface SloTarget {
  /** Between 0 and 1, such as 0.99. */
  quantile: number
  threshold_ms: number
  interval_seconds: number
}

export interface View {
  page: 'home' | 'workbench' | 'dashboard'
  /** Empty where the address names none: the server says which there are. */
  application: string
  environment: string
  file?: string | undefined
  query?: string | undefined
  /** The panel at the side (or the only one on a narrow window). */
  panel?: PanelId | undefined
  /** The panel below the editor. */
  bottom?: PanelId | undefined
  stage?: string | undefined
  node?: string | undefined
  /** The table instead of the drawing. */
  as?: 'table' | undefined
  x?: string | undefined
  y?: string | undefined
  run?: string | undefined
  /** Queries predicted as one page: `a, b | c`. */
  together?: string | undefined
  slo?: SloTarget | undefined
  /** Where further limits of the heatmap's query are put, by their symbols. */
  at?: Readonly<Record<string, number>> | undefined
  /** The chosen cell of the heatmap, by its two values; of a curve, only the first counts. */
  cell?: { x: number; y: number } | undefined
  /** The code whose page of the reference is open. */
  code?: string | undefined
  deployment?: string | undefined
  /** The number of the save that the history shows. */
  save?: string | undefined
  window?: number | undefined
}

/** The environment that every application has. */
export const DEVELOPMENT = 'development'

/** In the place of a second axis: the heatmap is a curve along the first. */
export const NO_AXIS = '-'

export const DEFAULT_SLO: SloTarget = { quantile: 0.99, threshold_ms: 500, interval_seconds: 600 }

const TEXT_KEYS = ['file', 'query', 'stage', 'node', 'x', 'y', 'run', 'together', 'code', 'deployment', 'save'] as const

export function parseView(pathname: string, search: string): View {
  const [, ...parts] = pathname.split('/').map(decoded)
  const query = new URLSearchParams(search)
  const view: View = parsePath(parts)
  for (const key of TEXT_KEYS) {
    const value = query.get(key)
    if (value) view[key] = value
  }
  view.panel = panelId(query.get('panel'))
  view.bottom = panelId(query.get('bottom'))
  // A link of an earlier form, when the root was the workbench.
  if (view.page === 'home' && (view.file || view.query || view.panel)) view.page = 'workbench'
  if (query.get('as') === 'table') view.as = 'table'
  view.slo = parseSlo(query.get('slo'))
  view.at = parseLimits(query.getAll('at'))
  view.cell = parseCell(query.get('cell'))
  const window = Number(query.get('window'))
  if (window > 0) view.window = window
  return dropUndefined(view)
}

export function formatView(view: View): string {
  const query = new URLSearchParams()
  for (const key of TEXT_KEYS) {
    const value = view[key]
    if (value) query.set(key, value)
  }
  if (view.panel) query.set('panel', view.panel)
  if (view.bottom) query.set('bottom', view.bottom)
  if (view.as) query.set('as', view.as)
  if (view.slo)
    query.set('slo', [view.slo.quantile * 100, view.slo.threshold_ms, view.slo.interval_seconds].map(short).join('-'))
  for (const [symbol, value] of Object.entries(view.at ?? {})) query.append('at', `${value}-${symbol}`)
  if (view.cell) query.set('cell', `${view.cell.x}-${view.cell.y}`)
  if (view.window) query.set('window', String(view.window))
  const names = ['applications', view.application, view.environment].map(encodeURIComponent)
  const environment = view.application ? `/${names.join('/')}` : ''
  const path = `${environment}${view.page === 'dashboard' ? '/dashboard' : ''}` || '/'
  const search = query.toString().replaceAll('%2F', '/')
  return search ? `${path}?${search}` : path
}

/** The page that a path names; links of an earlier form name a workspace, which is an application in development. */
function parsePath([first, application = '', second, third]: readonly string[]): View {
  const isEarlier = first === 'workspaces'
  if (!isEarlier && first !== 'applications')
    return { page: first === 'dashboard' ? 'dashboard' : 'home', application: '', environment: DEVELOPMENT }
  return {
    page: (isEarlier ? second : third) === 'dashboard' ? 'dashboard' : 'workbench',
    application,
    environment: (isEarlier ? '' : second) || DEVELOPMENT,
  }
}

/** The change that leads to an environment, and leaves behind what was said of another one. */
export function viewOf(application: string, environment: string): Partial<View> {
  const nothing = Object.fromEntries(TEXT_KEYS.map((key) => [key, undefined]))
  const rest = { panel: undefined, bottom: undefined, as: undefined, slo: undefined, at: undefined, cell: undefined }
  return { ...nothing, ...rest, page: 'workbench', application, environment }
}

/** The change that leads to the page of all applications. */
export const HOME: Partial<View> = { ...viewOf('', DEVELOPMENT), page: 'home' }

/** A part of a path; one that is no UTF-8, as a cut link may have, is taken as it is written. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** 99-500-600: 99 % under 500 ms in each interval of 600 s. */
export function parseSlo(text: string | null): SloTarget | undefined {
  const [percent, threshold, interval] = (text ?? '').split('-').map(Number)
  if (!percent || !threshold || !interval || percent <= 0 || percent >= 100 || threshold <= 0 || interval <= 0)
    return undefined
  return { quantile: Number((percent / 100).toFixed(6)), threshold_ms: threshold, interval_seconds: interval }
}

function parseCell(text: string | null): { x: number; y: number } | undefined {
  const [x, y] = (text ?? '').split('-').map(Number)
  return x !== undefined && y !== undefined && x >= 0 && y >= 0 ? { x, y } : undefined
}

/** 80-subscriptions.owner: the value first, since a symbol may hold anything. */
function parseLimits(parts: readonly string[]): Readonly<Record<string, number>> | undefined {
  const limits = parts.flatMap((part): [string, number][] => {
    const [, value, symbol] = /^(\d{1,7})-(.+)$/s.exec(part) ?? []
    return symbol && Number(value) > 0 ? [[symbol, Number(value)]] : []
  })
  return limits.length > 0 ? Object.fromEntries(limits) : undefined
}

function panelId(text: string | null): PanelId | undefined {
  return PANEL_IDS.find((id) => id === text)
}

function short(value: number): string {
  return String(Number(value.toFixed(4)))
}

function dropUndefined(view: View): View {
  return Object.fromEntries(Object.entries(view).filter(([, value]) => value !== undefined)) as unknown as View
}
