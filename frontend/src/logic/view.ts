/**
 * The view (what is looked at) and its URL, so that a link leads somebody else to the same view:
 *
 *     /applications/scadr/development?file=queries/thoughtstream.piql&query=thoughtstream&panel=heatmap&slo=99-500-600
 *
 * A parameter that cannot be read is ignored. To add one: a field of `View`, and a line in `parseView` and `formatView`
 * (or in TEXT_KEYS, if it is a text). The values of a run are behind `#`, which no server is sent.
 */

import type { Region } from './heatmap-region'
import { PLAN_METRICS, type PlanMetric } from './plan-metric'
import { formatTyped, parseTyped, type TypedValues } from './typed-values'

/** All panels, in the order of their tabs. */
export const PANEL_IDS = [
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
  'comments',
] as const
export type PanelId = (typeof PANEL_IDS)[number]

export interface SloTarget {
  /** Between 0 and 1, such as 0.99. */
  quantile: number
  threshold_ms: number
  interval_seconds: number
}

/** The pages of a team, each at the path of its name. */
const TEAM_PAGES = ['people', 'account', 'record'] as const
export type TeamPage = (typeof TEAM_PAGES)[number]

/** The pages of an environment beside the workbench, each at the path of its name. */
const SIDE_PAGES = ['dashboard', 'capacity', 'load-runs', 'alerts', 'requests'] as const
export type SidePage = (typeof SIDE_PAGES)[number]

export interface View {
  page: 'home' | 'workbench' | SidePage | 'guide' | 'experiments' | 'overview' | TeamPage
  /** The path of an address that leads nowhere; the page is then `home`, which says so. */
  unknownPath?: string | undefined
  /** The number of the deploy request that the page `requests` shows; without it the list of them. */
  request?: number | undefined
  /** What the page `record` shows: of a person, an application, an operation, a day in UTC, and a path or below it. */
  person?: string | undefined
  of?: string | undefined
  operation?: string | undefined
  day?: string | undefined
  about?: string | undefined
  /** The id of the load run that the page `load-runs` shows; without it the list of them. */
  loadRun?: string | undefined
  /** The name of the experiment that the page `experiments` shows; without it the list of them. */
  experiment?: string | undefined
  /** The page of the guide, such as `tutorial`; without it the list of its pages. */
  guide?: string | undefined
  /** The section of that page, by the id of its title. */
  section?: string | undefined
  /** Empty if the address names none; app/application-choice.ts then chooses one. */
  application: string
  environment: string
  file?: string | undefined
  query?: string | undefined
  panel?: PanelId | undefined
  /** Further panels that stand beside it. */
  beside?: readonly PanelId[] | undefined
  /** Whether the panels are spread over sidebar and editor. */
  full?: true | undefined
  /** The stage of the plan that is shown, and the id of its chosen node. */
  stage?: string | undefined
  node?: string | undefined
  /** What the nodes of the plan are weighed by; without it the operations. */
  metric?: Exclude<PlanMetric, 'operations'> | undefined
  /** What stands beside the plan: the live version's plan of the same query. */
  against?: 'live' | undefined
  /** Shows a panel's table instead of its drawing. */
  as?: 'table' | undefined
  /** The limits on the axes of the heatmap, by their symbols; `y` may be NO_AXIS. */
  x?: string | undefined
  y?: string | undefined
  /** The id of the profile run that predictions come from. */
  run?: string | undefined
  /** Queries predicted as one page: `a, b | c`. */
  together?: string | undefined
  /** Executions a second of the current query, for its price a month, as it was typed. */
  rate?: string | undefined
  /** The SLO that is tried in the heatmap, in place of the saved one. */
  slo?: SloTarget | undefined
  /** Values of limits that are on no axis of the heatmap, by their symbols. */
  at?: Readonly<Record<string, number>> | undefined
  /** The chosen cell of the heatmap, by the values of its limits; in a curve only `x` counts. */
  cell?: { x: number; y: number } | undefined
  /** The region that is chosen in the heatmap, and the one that it looks closer at. */
  region?: Region | undefined
  closer?: Region | undefined
  /** The diagnostic code whose reference page is open; `all` is the list of codes. */
  code?: string | undefined
  /** The id of the version that the dashboard shows; without it the live one. */
  deployment?: string | undefined
  /** The number of the save that the history shows. */
  save?: string | undefined
  /** What that save is compared with: `before`, `now`, or the number of another save. */
  compared?: string | undefined
  /** The query whose plans stand side by side in that comparison. */
  plans?: string | undefined
  /** The file whose saves the history lists; without it those of all files. */
  savesOf?: string | undefined
  /** The number of the thread of comments that is chosen. */
  thread?: string | undefined
  /** Which threads the panel Comments lists, `resolved` or `all`; without it the open ones. */
  threads?: string | undefined
  /** Lists only the threads about the open file and its queries, with `file`. */
  threadsOf?: string | undefined
  /** What is asked about capacity, as text: `logic/capacity-question.ts`. */
  load?: string | undefined
  /** Which queries the dashboard lists: a state of `logic/shown-queries.ts`, and words of their names. */
  state?: string | undefined
  named?: string | undefined
  /** The stop of the tour that is shown, from 1. */
  tour?: number | undefined
  /** The seconds before now that the dashboard shows. */
  window?: number | undefined
  /** Whose executions the dashboard counts; both are left out of the address. */
  source?: 'workbench' | 'applications' | undefined
  /** What is typed into the form of the current query; in the address while the panel `run` is. */
  values?: TypedValues | undefined
}

/** The environment that every application has. */
export const DEVELOPMENT = 'development'

/** The value of `y` for no second axis: the heatmap is then a curve along the first. */
export const NO_AXIS = '-'

export const DEFAULT_SLO: SloTarget = { quantile: 0.99, threshold_ms: 500, interval_seconds: 600 }

const TEXT_KEYS = [
  'file',
  'query',
  'stage',
  'node',
  'x',
  'y',
  'run',
  'together',
  'code',
  'deployment',
  'save',
  'compared',
  'plans',
  'savesOf',
  'thread',
  'threads',
  'threadsOf',
  'section',
  'load',
  'rate',
  'state',
  'named',
  'person',
  'of',
  'operation',
  'day',
  'about',
] as const

/** The view of an address. */
export function parseView(pathname: string, search: string, hash = ''): View {
  const [, ...parts] = pathname.split('/').map(decoded)
  const query = new URLSearchParams(search)
  const view: View = parsePath(parts) ?? { ...ROOT, unknownPath: pathname }
  for (const key of TEXT_KEYS) {
    const value = query.get(key)
    if (value) view[key] = value
  }
  view.panel = panelId(query.get('panel'))
  const beside = (query.get('beside') ?? '').split(',').flatMap((id) => panelId(id) ?? [])
  if (beside.length > 0) view.beside = beside
  if (query.get('full') === '1') view.full = true
  // In links of earlier versions, the root is the workbench.
  if (view.page === 'home' && !view.unknownPath && (view.file || view.query || view.panel)) view.page = 'workbench'
  if (query.get('as') === 'table') view.as = 'table'
  const metric = PLAN_METRICS.find((name) => name === query.get('metric'))
  if (metric && metric !== 'operations') view.metric = metric
  if (query.get('against') === 'live') view.against = 'live'
  view.slo = parseSlo(query.get('slo'))
  view.at = parseLimits(query.getAll('at'))
  view.cell = parseCell(query.get('cell'))
  view.region = parseRegion(query.get('region'))
  view.closer = parseRegion(query.get('closer'))
  const tour = Number(query.get('tour'))
  if (Number.isInteger(tour) && tour > 0) view.tour = tour
  const window = Number(query.get('window'))
  if (window > 0) view.window = window
  const source = query.get('source')
  if (source === 'workbench' || source === 'applications') view.source = source
  view.values = parseTyped(hash)
  return dropUndefined(view)
}

/** A view after a change; values stay with the form that they were typed into. */
export function changed(view: View, change: Partial<View>): View {
  const next = { ...view, ...change }
  const isSameForm = (['application', 'environment', 'query'] as const).every((key) => next[key] === view[key])
  return isSameForm || 'values' in change ? next : { ...next, values: undefined }
}

/** The address of a view: path, parameters and, for the form of a run, the fragment. */
export function formatView(view: View): string {
  const query = new URLSearchParams()
  for (const key of TEXT_KEYS) {
    const value = view[key]
    if (value) query.set(key, value)
  }
  if (view.panel) query.set('panel', view.panel)
  if (view.beside) query.set('beside', view.beside.join(','))
  if (view.full) query.set('full', '1')
  if (view.as) query.set('as', view.as)
  if (view.metric) query.set('metric', view.metric)
  if (view.against) query.set('against', view.against)
  if (view.slo)
    query.set('slo', [view.slo.quantile * 100, view.slo.threshold_ms, view.slo.interval_seconds].map(short).join('-'))
  for (const [symbol, value] of Object.entries(view.at ?? {})) query.append('at', `${value}-${symbol}`)
  if (view.cell) query.set('cell', `${view.cell.x}-${view.cell.y}`)
  if (view.region) query.set('region', regionText(view.region))
  if (view.closer) query.set('closer', regionText(view.closer))
  if (view.tour) query.set('tour', String(view.tour))
  if (view.window) query.set('window', String(view.window))
  if (view.source) query.set('source', view.source)
  const names = ['applications', view.application, view.environment].map(encodeURIComponent)
  const environment = view.application ? `/${names.join('/')}` : ''
  const path = view.unknownPath ?? pagePath(view, environment)
  const search = query.toString().replaceAll('%2F', '/')
  return `${search ? `${path}?${search}` : path}${fragment(view)}`
}

function fragment({ page, panel, beside = [], values }: View): string {
  const hasForm = page === 'workbench' && (panel === 'run' || beside.includes('run'))
  return hasForm && values ? formatTyped(values) : ''
}

function pagePath(view: View, environment: string): string {
  if (view.page === 'guide') return guidePath(view)
  if (view.page === 'experiments')
    return view.experiment ? `/experiments/${encodeURIComponent(view.experiment)}` : '/experiments'
  if (view.page === 'overview' || isTeamPage(view.page)) return `/${view.page}`
  const request = view.page === 'requests' && view.request ? `/${view.request}` : ''
  const loadRun = view.page === 'load-runs' && view.loadRun ? `/${encodeURIComponent(view.loadRun)}` : ''
  return `${environment}${isSidePage(view.page) ? `/${view.page}` : ''}${request}${loadRun}` || '/'
}

function isTeamPage(page: string): page is TeamPage {
  return TEAM_PAGES.some((name) => name === page)
}

export function isSidePage(page: string): page is SidePage {
  return SIDE_PAGES.some((name) => name === page)
}

/** `/guide`, or `/guide/reference/types`. */
function guidePath(view: View): string {
  return ['/guide', ...(view.guide ?? '').split('/').filter(Boolean).map(encodeURIComponent)].join('/')
}

const ROOT: View = { page: 'home', application: '', environment: DEVELOPMENT }

/**
 * The page that a path names; undefined if it names none. Links of earlier versions, `/workspaces/scadr` and `/workspaces/scadr/dashboard`, lead to
 * the application's environment `development`.
 */
function parsePath(parts: readonly string[]): View | undefined {
  const [first = '', application = '', ...rest] = parts.at(-1) === '' ? parts.slice(0, -1) : parts
  if (first === '' || isSidePage(first)) {
    return application === '' ? { ...ROOT, page: first === '' ? 'home' : first } : undefined
  }
  if (isTeamPage(first)) return application === '' ? { ...ROOT, page: first } : undefined
  if (first === 'overview' && application === '') return { ...ROOT, page: 'overview' }
  if (first === 'experiments')
    return rest.length === 0 ? { ...ROOT, page: 'experiments', experiment: application || undefined } : undefined
  if (first === 'guide') return { ...ROOT, page: 'guide', guide: [application, ...rest].join('/') || undefined }
  if (first !== 'applications' && first !== 'workspaces') return undefined
  const [environment = DEVELOPMENT, page, ...more] = first === 'workspaces' ? [DEVELOPMENT, ...rest] : rest
  if (page !== undefined && !isSidePage(page)) return undefined
  const view: View = { page: page ?? 'workbench', application, environment }
  if (more.length === 0) return view
  const [number = ''] = more
  if (page === 'load-runs' && more.length === 1) return { ...view, loadRun: number }
  const isRequest = page === 'requests' && more.length === 1 && /^[1-9]\d{0,8}$/.test(number)
  return isRequest ? { ...view, request: Number(number) } : undefined
}

/** The change that leads to the workbench of an environment and resets everything that concerned another one. */
export function viewOf(application: string, environment: string): Partial<View> {
  const noTexts = Object.fromEntries(TEXT_KEYS.map((key) => [key, undefined]))
  const rest = {
    panel: undefined,
    beside: undefined,
    full: undefined,
    as: undefined,
    metric: undefined,
    against: undefined,
    slo: undefined,
    at: undefined,
    cell: undefined,
    region: undefined,
    closer: undefined,
    tour: undefined,
    guide: undefined,
    request: undefined,
    loadRun: undefined,
    experiment: undefined,
  }
  return { ...noTexts, ...rest, page: 'workbench', unknownPath: undefined, application, environment }
}

/** The change that leads to the page of all applications. */
export const HOME: Partial<View> = { ...viewOf('', DEVELOPMENT), page: 'home' }

/** The change that leads to a page of a team. */
export function teamPageOf(page: TeamPage): Partial<View> {
  return { ...HOME, page }
}

/** The change that leads to the record of what was done by a person, or at a path. */
export function recordOf(filter: Partial<Pick<View, 'person' | 'about'>>): Partial<View> {
  return { ...HOME, page: 'record', ...filter }
}

/** The change that leads to the dashboard over all applications. */
export function overviewOf(): Partial<View> {
  return { ...HOME, page: 'overview' }
}

/** The change that leads to the page of experiments, or to one of them. */
export function experimentsOf(experiment?: string): Partial<View> {
  return { ...HOME, page: 'experiments', experiment }
}

/** The change that leads to a page of the guide, and to a section of it. */
export function guideOf(guide?: string, section?: string): Partial<View> {
  return { ...HOME, page: 'guide', guide, section }
}

/** A decoded part of a path; a part that is no valid UTF-8, as in a link that was cut off, stays as it is. */
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

/** 30-10-100-50: from 30 × 10 to 100 × 50. */
function parseRegion(text: string | null): Region | undefined {
  const [x1, y1, x2, y2] = (text ?? '').split('-').map(Number)
  if (x1 === undefined || y1 === undefined || x2 === undefined || y2 === undefined) return undefined
  return x1 >= 0 && y1 >= 0 && x1 <= x2 && y1 <= y2 && x2 + y2 < Infinity ? { x1, y1, x2, y2 } : undefined
}

function regionText({ x1, y1, x2, y2 }: Region): string {
  return [x1, y1, x2, y2].join('-')
}

/** 80-subscriptions.owner; the value is first, because a symbol may contain any character. */
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

/** A number with at most four decimals. */
function short(value: number): string {
  return String(Number(value.toFixed(4)))
}

function dropUndefined(view: View): View {
  return Object.fromEntries(Object.entries(view).filter(([, value]) => value !== undefined)) as unknown as View
}
