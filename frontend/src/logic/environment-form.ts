/** What is typed of an environment, and the request that it becomes. */

export const COLOURS = ['grey', 'green', 'blue', 'amber', 'red'] as const
export type Colour = (typeof COLOURS)[number]

export const CONSISTENCIES = [
  'LOCAL_QUORUM',
  'QUORUM',
  'EACH_QUORUM',
  'ALL',
  'ONE',
  'LOCAL_ONE',
  'TWO',
  'THREE',
] as const

interface ReadReference {
  variable: string | null
  file: string | null
}

/** What the form takes from an environment. */
export interface KnownEnvironment {
  title: string
  colour: Colour
  slo: { threshold_ms: number } | null
  store: {
    url: string
    is_served: boolean
    consistency: string | null
    user: ReadReference | null
    password: ReadReference | null
    tls: { ca_file: string | null; certificate_file: string | null; key_file: string | null } | null
  } | null
}

/** Where a credential is read from; `name` is that of a variable or a path. */
export interface Reference {
  from: 'nowhere' | 'variable' | 'file'
  name: string
}

export interface EnvironmentForm {
  title: string
  colour: Colour
  /** The 99th percentile in ms of a query without an SLO of its own; empty for the usual one. */
  sloMs: string
  store: 'own file' | 'named'
  url: string
  consistency: string
  user: Reference
  password: Reference
  isEncrypted: boolean
  caFile: string
  certificateFile: string
  keyFile: string
}

const NOWHERE: Reference = { from: 'nowhere', name: '' }

export const NEW_ENVIRONMENT: EnvironmentForm = {
  title: '',
  colour: 'grey',
  sloMs: '',
  store: 'own file',
  url: '',
  consistency: '',
  user: NOWHERE,
  password: NOWHERE,
  isEncrypted: false,
  caFile: '',
  certificateFile: '',
  keyFile: '',
}

export function formOf({ title, colour, slo, store }: KnownEnvironment): EnvironmentForm {
  const isNamed = store !== null && (store.is_served || store.url !== 'embedded')
  return {
    title,
    colour,
    sloMs: slo ? String(slo.threshold_ms) : '',
    store: isNamed ? 'named' : 'own file',
    url: isNamed ? store.url : '',
    consistency: store?.consistency ?? '',
    user: referenceOf(store?.user),
    password: referenceOf(store?.password),
    isEncrypted: store?.tls != null,
    caFile: store?.tls?.ca_file ?? '',
    certificateFile: store?.tls?.certificate_file ?? '',
    keyFile: store?.tls?.key_file ?? '',
  }
}

/** Whether the store is a cluster, which has a consistency, credentials and certificates. */
export function isCluster({ store, url }: EnvironmentForm): boolean {
  return store === 'named' && url.trim().startsWith('cql:')
}

/** The store as it is asked for. */
export function storeOf(form: EnvironmentForm) {
  if (form.store === 'own file') return { url: 'embedded' }
  const url = form.url.trim()
  if (!isCluster(form)) return { url }
  return {
    url,
    consistency: CONSISTENCIES.find((name) => name === form.consistency) ?? null,
    user: written(form.user),
    password: written(form.password),
    tls: form.isEncrypted
      ? {
          ca_file: form.caFile.trim() || null,
          certificate_file: form.certificateFile.trim() || null,
          key_file: form.keyFile.trim() || null,
        }
      : null,
  }
}

/** The SLO of a query without one of its own, as it is asked for. */
function sloOf({ sloMs }: EnvironmentForm) {
  const ms = Number(sloMs)
  return sloMs.trim() === '' || !(ms > 0) ? null : { quantile: 0.99, threshold_ms: ms, interval_seconds: 600 }
}

export function createOf(form: EnvironmentForm) {
  return { title: form.title.trim(), colour: form.colour, slo: sloOf(form), store: storeOf(form) }
}

/**
 * The store only where it is another one, because an environment is closed while it changes, or where it came with an
 * archive: to save it is to confirm it.
 */
export function updateOf(form: EnvironmentForm, before: EnvironmentForm, isConfirmed = true) {
  const isOther = !isConfirmed || JSON.stringify(storeOf(form)) !== JSON.stringify(storeOf(before))
  return {
    title: form.title.trim(),
    colour: form.colour,
    ...(form.sloMs === before.sloMs ? {} : { slo: sloOf(form) }),
    ...(isOther ? { store: storeOf(form) } : {}),
  }
}

/** What is still to be typed, the first of it; null where all is there. */
export function missing(form: EnvironmentForm): string | null {
  if (form.title.trim() === '') return 'a name'
  if (form.store === 'named' && form.url.trim() === '') return 'the address of the store'
  if (!isCluster(form)) return null
  const unnamed = ([form.user, form.password] as const).some(({ from, name }) => from !== 'nowhere' && !name.trim())
  return unnamed ? 'where a credential is read from' : null
}

function referenceOf(read: ReadReference | null | undefined): Reference {
  if (read?.variable) return { from: 'variable', name: read.variable }
  if (read?.file) return { from: 'file', name: read.file }
  return NOWHERE
}

function written({ from, name }: Reference): { variable: string } | { file: string } | null {
  if (from === 'nowhere') return null
  return from === 'variable' ? { variable: name.trim() } : { file: name.trim() }
}
