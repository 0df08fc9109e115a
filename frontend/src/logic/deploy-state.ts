/**
 * What the deploy panel says and offers, from what is known: one headline, one button, one reason when it cannot be pressed.
 *
 * The panel draws it and decides nothing of its own, so every state can be tested here.
 */
import { formatCount } from '../units'

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
  /** Live queries that were deployed from elsewhere: those that stay, and those that this text would replace. */
  kept: readonly unknown[]
  replaced: readonly unknown[]
  /** Why it is refused although every query is bounded. */
  refusal: string | null
}

/** What the reader has agreed to do to the queries of others. */
export interface Agreed {
  toRemove: boolean
  toReplace: boolean
}

/** What a deployment was refused with, and the text that it was refused for. */
export interface Refusal {
  message: string
  help: string | null
  textVersion: number
}

export interface DeployFacts {
  /** Counts changes of the text, as `previewOf` and the refusal do. */
  textVersion: number
  preview: PreviewFacts | null
  /** The text that the preview is of; an older one while the next is under way. */
  previewOf: number
  /** Why there is no preview. */
  previewError: string | null
  /** The files whose text is not the live one's; null while that is not known. */
  changedFiles: readonly string[] | null
  /** The files that are newer on the server than what they were edited from here. */
  staleFiles: readonly string[]
  nextVersion: number
  agreed: Agreed
  /** Whether the predictions to be kept come from another profile run than those of the live version. */
  isOtherRun: boolean
  isDeploying: boolean
  isBuilding: boolean
  refusal: Refusal | null
}

type DeployTone = 'plain' | 'accent' | 'warning' | 'danger'

export interface DeployState {
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
  /** The changes are worth showing. */
  hasChanges: boolean
  button: { label: string; isEnabled: boolean; isPrimary: boolean }
  /** What the last try was refused with, as long as the text is the one that was tried. */
  refusal: Refusal | null
}

/** The state of the panel; of several that hold, the one that the reader has to act on first. */
export function deployState(facts: DeployFacts): DeployState {
  const { kind, ...said } = judged(facts)
  const isEnabled = DEPLOYABLE.includes(kind)
  return {
    kind,
    ...said,
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

/** How many queries are live afterwards. */
export function queryCount({ added, changed, unchanged, kept }: PreviewFacts, { toRemove }: Agreed): number {
  return added.length + changed.length + unchanged.length + (toRemove ? 0 : kept.length)
}

const DEPLOYABLE: readonly DeployState['kind'][] = ['ready', 'text', 'predictions']

type Judged = Pick<DeployState, 'kind' | 'tone' | 'headline' | 'help'>

function judged(facts: DeployFacts): Judged {
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
  return preview.can_deploy || preview.refusal !== null ? deployable(facts, preview) : refused(preview)
}

function refused(preview: PreviewFacts): Judged {
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
    'There is no query to deploy.',
    'Write CREATE QUERY name AS and a SELECT; what is live keeps running as it is.',
  )
}

function deployable(facts: DeployFacts, preview: PreviewFacts): Judged {
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
    return say('ready', 'accent', 'Every query is bounded: this can be deployed.')
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
      'The text is what is live already.',
      'Deploying it again only keeps predictions from another profile run with it.',
    )
  return say('same', 'plain', 'The text is what is live already.', 'There is nothing to deploy.')
}

/** Whether nothing that runs would change. */
export function isUnchanged(
  preview: Omit<PreviewFacts, 'can_deploy' | 'diagnostics' | 'kept' | 'replaced' | 'refusal'>,
): boolean {
  const { tables, added, changed, removed, indexes_added, indexes_removed, bounds_changed } = preview
  return [tables, added, changed, removed, indexes_added, indexes_removed, bounds_changed].every(
    (list) => list.length === 0,
  )
}

const COMPARING = say(
  'comparing',
  'plain',
  'Comparing with what is live…',
  'It takes a moment after each change of the text.',
)
const LIVE_GOES_ON = 'The live version answers until the new one is there.'

function say(kind: DeployState['kind'], tone: DeployTone, headline: string, help: string | null = null): Judged {
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

/** The files whose text is another, in the order of their paths; one that comes or goes has an empty text there. */
export function fileChanges(before: readonly FileText[], after: readonly FileText[]): FileChange[] {
  const old = new Map(before.map((file) => [file.path, file.text]))
  const now = new Map(after.map((file) => [file.path, file.text]))
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter((path) => old.get(path) !== now.get(path))
    .toSorted((one, another) => one.localeCompare(another))
    .map((path) => ({ path, before: old.get(path) ?? '', after: now.get(path) ?? '' }))
}
