/**
 * What the record shows of a deed: what was asked for, line by line, and where in the workbench it was done. Pure.
 *
 *     /api/applications/shop/environments/production/deploy-requests/3/reviews  →  the page of request 3
 */
import { DEVELOPMENT, HOME, type PanelId, type View, viewOf } from './view'

/** A wish as lines of a name and a value: `{"role": null, "application": "shop"}` → role: none, application: shop. */
export function wishLines(wish: string): { name: string; value: string }[] {
  if (wish === '') return []
  try {
    const fields: unknown = JSON.parse(wish)
    if (typeof fields === 'object' && fields !== null && !Array.isArray(fields))
      return Object.entries(fields).map(([name, value]) => ({
        name: name.replaceAll('_', ' '),
        value: name === 'application' && value === null ? 'all' : valueText(value),
      }))
  } catch {
    // It was cut off: what is there is told as it is.
  }
  return [{ name: 'asked for', value: wish }]
}

function valueText(value: unknown): string {
  if (value === null) return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const PANELS: Readonly<Record<string, PanelId>> = {
  deployments: 'deploy',
  canary: 'deploy',
  'profile-runs': 'profile',
  tables: 'data',
  imports: 'data',
  generations: 'data',
  headroom: 'data',
  sample: 'data',
}

/** The view in which something was done; null for what has none, such as a login. */
export function placeOfDeed(path: string): Partial<View> | null {
  const [root, first, name = '', ...rest] = path.replace(/^\//, '').split('/').map(decoded)
  if (root !== 'api') return null
  if (first === 'people') return { ...HOME, page: 'people' }
  if (first === 'tokens' || first === 'sessions') return { ...HOME, page: 'account' }
  if (first === 'experiments') return { ...HOME, page: 'experiments', experiment: name || undefined }
  if (first !== 'applications' || name === '') return null
  const [kind = '', second = ''] = rest
  if (kind === 'environments' && second !== '') return placeInEnvironment(viewOf(name, second), rest.slice(2))
  const workbench = viewOf(name, DEVELOPMENT)
  if (kind === 'files' && second !== '') return { ...workbench, file: rest.slice(1).join('/') }
  if (kind === 'threads') return { ...workbench, panel: 'comments', ...(second ? { thread: second } : {}) }
  return workbench
}

function placeInEnvironment(there: Partial<View>, [kind = '', name = '']: readonly string[]): Partial<View> {
  const panel = PANELS[kind]
  if (panel) return { ...there, panel }
  switch (kind) {
    case 'deploy-requests':
      return { ...there, page: 'requests', ...(/^\d+$/.test(name) ? { request: Number(name) } : {}) }
    case 'load-runs':
      return { ...there, page: 'load-runs', ...(name ? { loadRun: name } : {}) }
    case 'alerts':
      return { ...there, page: 'alerts' }
    case 'slos':
      return { ...there, page: 'dashboard', ...(name ? { query: name } : {}) }
    case 'bursts':
      return { ...there, page: 'dashboard' }
    default:
      return there
  }
}

/** The path of a deploy request, by which the record finds what was done to it. */
export function pathOfRequest(application: string, environment: string, request: number): string {
  const names = [application, environment].map(encodeURIComponent)
  return `/api/applications/${names[0]}/environments/${names[1]}/deploy-requests/${request}`
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
