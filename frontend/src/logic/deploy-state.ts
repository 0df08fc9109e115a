/**
 * What the deploy panel says and offers: a headline, one button, and a reason if the button cannot be pressed.
 *
 * `deployState` decides it from `DeployFacts`, which the panel gathers. The panel draws the result and decides nothing
 * itself, so every state can be tested here. Also: which files differ between two texts (`fileChanges`).
 */
import { formatCount, plural } from '../units'

interface Finding {
  severity: string
}

interface TableChange {
  table: string
  refusal: string | null
}

/** What the server says that deploying would change; the lists name queries, tables and indexes. */
export interface PreviewFacts {
  can_deploy: boolean
  diagnostics: readonly Finding[]
  tables: readonly TableChange[]
  added: readonly string[]
  changed: readonly string[]
  removed: readonly string[]
  unchanged: readonly string[]
  indexes_added: readonly unknown[]
  indexes_removed: readonly string[]
  bounds_changed: readonly unknown[]
  /**
   * Live queries that were deployed from elsewhere: `kept` ones stay, `replaced` ones have the name of a query in this
   * text.
   */
  kept: readonly unknown[]
  replaced: readonly unknown[]
  /** Why deploying is refused although every query is bounded. */
  refusal: string | null
}

/** Whether the reader has agreed to remove or replace live queries that were deployed from elsewhere. */
export interface Agreed {
  toRemove: boolean
  toReplace: boolean
}

/** The message of a refused deployment, and the version of the text that was refused. */
export interface Refusal {
  message: string
  help: string | null
  textVersion: number
}

export interface DeployFacts {
  /** The version of the present text; `previewOf` and `refusal.textVersion` count the same changes. */
  textVersion: number
  preview: PreviewFacts | null
  /** The version of the text that `preview` is of; an older one while the next preview is requested. */
  previewOf: number
  /** Why there is no preview. */
  previewError: string | null
  /** The files whose text differs from the live version; null while that is not known. */
  changedFiles: readonly string[] | null
  /** The files that are newer on the server than what they were edited from here. */
  staleFiles: readonly string[]
  nextVersion: number
  agreed: Agreed
  /** Whether the chosen profile run is another one than that of the live version's predictions. */
  isOtherRun: boolean
  isDeploying: boolean
  isBuilding: boolean
  refusal: Refusal | null
}

type DeployTone = 'plain' | 'accent' | 'warning' | 'danger'

export interface DeployState {
  /**
   * `comparing`: the preview is not there yet. `unknown`: it failed. `stale`: the server has newer texts. `empty`:
   * neither table nor query. `tables`: a table cannot change like this. `breaks`: refused for another reason. `replaces`: the reader must
   * agree first. `same`: nothing to deploy. `predictions`: only the predictions differ. `text`: only comments or layout
   * differ.
   */
  kind:
    | 'comparing'
    | 'unknown'
    | 'stale'
    | 'empty'
    | 'errors'
    | 'tables'
    | 'breaks'
    | 'replaces'
    | 'same'
    | 'predictions'
    | 'text'
    | 'ready'
    | 'deploying'
    | 'building'
  tone: DeployTone
  headline: string
  help: string | null
  /** Whether the panel lists the changes. */
  hasChanges: boolean
  button: { label: string; isEnabled: boolean; isPrimary: boolean }
  /** The refusal of the last deployment, while the text is still the refused one. */
  refusal: Refusal | null
}

/** The state of the panel: of several that apply, the one that the reader has to act on first. */
export function deployState(facts: DeployFacts): DeployState {
  const { kind, ...words } = verdictOf(facts)
  const isEnabled = DEPLOYABLE.includes(kind)
  return {
    kind,
    ...words,
    hasChanges:
      facts.preview !== null &&
      ['tables', 'breaks', 'replaces', 'text', 'ready', 'deploying', 'building', 'comparing'].includes(kind) &&
      (facts.preview.can_deploy || facts.preview.refusal !== null),
    button: {
      label: kind === 'deploying' ? `Deploying version ${facts.nextVersion}…` : `Deploy version ${facts.nextVersion}`,
      isEnabled,
      isPrimary: kind === 'ready',
    },
    refusal: facts.refusal?.textVersion === facts.textVersion && !facts.isDeploying ? facts.refusal : null,
  }
}

/** How many queries will be live after the deployment. */
export function queryCount({ added, changed, unchanged, kept }: PreviewFacts, { toRemove }: Agreed): number {
  return added.length + changed.length + unchanged.length + (toRemove ? 0 : kept.length)
}

const DEPLOYABLE: readonly DeployState['kind'][] = ['ready', 'text', 'predictions']

type Verdict = Pick<DeployState, 'kind' | 'tone' | 'headline' | 'help'>

function verdictOf(facts: DeployFacts): Verdict {
  const { preview, previewOf, textVersion } = facts
  if (facts.isDeploying) return say('deploying', 'plain', 'Deploying…', LIVE_GOES_ON)
  if (facts.staleFiles.length > 0) {
    const help = 'Compare the texts above the editor, then take theirs or keep yours as a copy.'
    return say(
      'stale',
      'danger',
      `Deploying is refused: ${facts.staleFiles.join(', ')} ${facts.staleFiles.length === 1 ? 'is' : 'are'} newer on the server than here.`,
      help,
    )
  }
  if (facts.previewError !== null)
    return say('unknown', 'danger', 'What deploying would change is not known.', facts.previewError)
  if (!preview || previewOf !== textVersion) return COMPARING
  if (facts.isBuilding)
    return say('building', 'plain', 'Another version is on its way.', 'Wait until it is live, or cancel it below.')
  return preview.can_deploy || preview.refusal !== null ? verdictOnBounded(facts, preview) : verdictOnRefused(preview)
}

/** For a text with errors, or with nothing in it. */
function verdictOnRefused(preview: PreviewFacts): Verdict {
  const errors = preview.diagnostics.filter(({ severity }) => severity === 'error').length
  if (errors > 0)
    return say(
      'errors',
      'danger',
      `Deploying is refused: ${errors === 1 ? '1 error' : `${formatCount(errors)} errors`}.`,
      'All files are deployed together or not at all: what is live keeps running as it is.',
    )
  return say(
    'empty',
    'plain',
    'There is no table and no query to deploy.',
    'Begin with CREATE TABLE; what is live keeps running as it is.',
  )
}

/** For a text whose queries are all bounded; it may be refused all the same. */
function verdictOnBounded(facts: DeployFacts, preview: PreviewFacts): Verdict {
  const clashes = preview.tables.filter(({ refusal }) => refusal !== null).map(({ table }) => table)
  if (clashes.length > 0) {
    const help = 'The live data could not be kept. Name the table differently to start anew.'
    return say('tables', 'danger', `Deploying will be refused: ${clashes.join(', ')} cannot change like this.`, help)
  }
  if (preview.refusal !== null)
    return say(
      'breaks',
      'danger',
      `Deploying will be refused: ${preview.refusal}`,
      'What is live keeps running as it is.',
    )
  if (preview.replaced.length > 0 && !facts.agreed.toReplace) {
    return say(
      'replaces',
      'warning',
      'This would replace queries that were deployed from elsewhere.',
      'Agree to it below, or give your queries other names.',
    )
  }
  if (!isUnchanged(preview) || preview.replaced.length > 0 || (preview.kept.length > 0 && facts.agreed.toRemove))
    return queryCount(preview, facts.agreed) === 0 ? tablesAlone(preview) : say('ready', 'accent', ALL_BOUNDED)
  if (facts.changedFiles === null) return COMPARING
  if (facts.changedFiles.length > 0) {
    return say(
      'text',
      'plain',
      'Only the text differs from what is live: comments or layout.',
      'Queries, tables and bounds stay as they are.',
    )
  }
  if (facts.isOtherRun)
    return say(
      'predictions',
      'plain',
      'This text is already live.',
      'Deploying it again would only store the predictions of another profile run with it.',
    )
  return say('same', 'plain', 'This text is already live.', 'There is nothing to deploy.')
}

/** For a text of tables only: how an application begins, or what is left when its queries are gone. */
function tablesAlone({ removed }: PreviewFacts): Verdict {
  if (removed.length > 0)
    return say(
      'ready',
      'warning',
      `No query would be live: this removes ${plural(removed.length, 'query', 'queries')}.`,
    )
  return say('ready', 'accent', 'There is no query yet: the tables alone can be deployed.', 'Rows can be added then.')
}

/** Whether deploying would change no table, query, index or bound. */
export function isUnchanged(
  preview: Omit<PreviewFacts, 'can_deploy' | 'diagnostics' | 'kept' | 'replaced' | 'refusal'>,
): boolean {
  const { tables, added, changed, removed, indexes_added, indexes_removed, bounds_changed } = preview
  return [tables, added, changed, removed, indexes_added, indexes_removed, bounds_changed].every(
    (list) => list.length === 0,
  )
}

const ALL_BOUNDED = 'Every query is bounded: this can be deployed.'
const COMPARING = say(
  'comparing',
  'plain',
  'Comparing with what is live…',
  'It takes a moment after each change of the text.',
)
const LIVE_GOES_ON = 'The live version answers until the new one is there.'

function say(kind: DeployState['kind'], tone: DeployTone, headline: string, help: string | null = null): Verdict {
  return { kind, tone, headline, help }
}

export interface FileText {
  path: string
  text: string
}

export interface FileChange {
  path: string
  before: string
  after: string
}

/** The files whose text differs, in the order of their paths; a file that only one side has is empty on the other. */
export function fileChanges(before: readonly FileText[], after: readonly FileText[]): FileChange[] {
  const old = new Map(before.map((file) => [file.path, file.text]))
  const now = new Map(after.map((file) => [file.path, file.text]))
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter((path) => old.get(path) !== now.get(path))
    .toSorted((one, another) => one.localeCompare(another))
    .map((path) => ({ path, before: old.get(path) ?? '', after: now.get(path) ?? '' }))
}
