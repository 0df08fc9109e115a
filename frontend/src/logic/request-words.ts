/** What the pages of deploy requests say: may it be deployed, what is missing, and why a button may not be used. */
import { formatCount, plural } from '../units'

type Status = 'open' | 'approved' | 'refused' | 'outdated' | 'deploying' | 'tried' | 'deployed' | 'withdrawn'
export type CheckMode = 'block' | 'warn' | 'off'

export interface Request {
  number: number
  author: string | null
  status: Status
  approvals: number
  approvals_needed: number
  open_comments: number
  withdrawn_by: string | null
  deployed_version: number | null
  deployed_by: string | null
}

interface RequestDetail extends Request {
  authors: readonly string[]
  may_be_deployed: boolean
  missing: readonly string[]
}

interface Rules {
  needs_request: boolean
  approvals: number
  excludes_author: boolean
}

interface ChosenRules extends Rules {
  checks: { approval: CheckMode }
}

/** The roles, each of which may do what those before it may. */
const RANKS = ['viewer', 'developer', 'reviewer', 'deployer', 'administrator'] as const
type Rank = (typeof RANKS)[number]

interface Person {
  name: string
  roles: readonly { application: string | null; role: Rank }[]
}

type Tone = 'plain' | 'accent' | 'warning' | 'danger'

export const STATUS_WORDS: Readonly<Record<Status, { word: string; tone: Tone }>> = {
  open: { word: 'open', tone: 'plain' },
  approved: { word: 'approved', tone: 'accent' },
  refused: { word: 'refused', tone: 'danger' },
  outdated: { word: 'outdated', tone: 'warning' },
  deploying: { word: 'being deployed', tone: 'plain' },
  tried: { word: 'being tried', tone: 'accent' },
  deployed: { word: 'deployed', tone: 'accent' },
  withdrawn: { word: 'withdrawn', tone: 'plain' },
}

export function isOver({ status }: Pick<Request, 'status'>): boolean {
  return status === 'deployed' || status === 'withdrawn'
}

/** ` by ada`; nobody is named where nobody signs in. */
export function byText(person: string | null): string {
  return person === null ? '' : ` by ${person}`
}

type Deployer = { deployed_by: string; application_id: string | null }

/** Who deployed a version, seen from an application; nobody is named where it did so itself, without a login. */
export function deployerText({ deployed_by: by, application_id: from }: Deployer, application: string): string {
  if (by !== from) return byText(by)
  return by === application ? '' : byText(`the application ${by}`)
}

/** A request in the list, as far as the list knows it: what it waits for, or how it ended. */
export function listText(request: Request): string {
  const comments = request.open_comments
  const talk = comments > 0 && !isOver(request) ? ` ${plural(comments, 'comment')} not settled.` : ''
  return `${stateText(request)}${talk}`
}

function stateText(request: Request): string {
  switch (request.status) {
    case 'deployed':
      return `Deployed as version ${request.deployed_version}${byText(request.deployed_by)}.`
    case 'withdrawn':
      return `Withdrawn${byText(request.withdrawn_by)}.`
    case 'deploying':
      return 'It is being deployed.'
    case 'tried':
      return 'It is tried on a share of the executions.'
    case 'outdated':
      return 'Something else was deployed since: it has to take what is live now as its base.'
    case 'refused':
      return 'It was refused: it needs another text.'
    default:
      return approvalText(request)
  }
}

function approvalText({ approvals, approvals_needed: needed }: Request): string {
  if (approvals < needed) return `It needs ${formatCount(needed - approvals)} more of ${plural(needed, 'approval')}.`
  if (needed === 0) return 'It needs no approval: see its checks.'
  return 'It has its approvals: see its checks.'
}

/** The one thing that the page of a request says: whether it may be deployed. */
export function headline(request: RequestDetail): { tone: Tone; text: string } {
  if (isOver(request)) return { tone: STATUS_WORDS[request.status].tone, text: stateText(request) }
  if (request.status === 'deploying') return { tone: 'plain', text: 'It is being deployed.' }
  if (request.status === 'tried') return { tone: 'accent', text: 'It is tried on a share of the executions.' }
  if (request.may_be_deployed) return { tone: 'accent', text: 'This may be deployed: nothing is missing.' }
  const count = request.missing.length
  const what = count === 1 ? 'one thing is missing' : `${formatCount(count)} things are missing`
  const tone = request.status === 'refused' ? 'danger' : 'warning'
  return { tone, text: `This may not be deployed yet: ${what}.` }
}

/** Why each button of a request may not be used; null where it may. The person is null where nobody signs in. */
export interface WhyNot {
  deploy: string | null
  review: string | null
  approve: string | null
  revise: string | null
  withdraw: string | null
  comment: string | null
}

export function whyNot(request: RequestDetail, rules: Rules, person: Person | null, application: string): WhyNot {
  const lacks = (needed: Rank) => roleLacking(person, application, needed)
  const busy = busyText(request.status)
  // Where nobody signs in, whoever looks at a text without a named author wrote it.
  const wrote = person === null ? request.authors.length === 0 : request.authors.includes(person.name)
  const isOwn = rules.excludes_author && wrote
  const own = isOwn ? 'Its text is yours, and somebody else has to approve it.' : null
  const missing = request.may_be_deployed ? null : firstOf(request.missing)
  return {
    deploy: lacks('deployer') ?? busy ?? missing,
    review: lacks('reviewer') ?? busy,
    approve: lacks('reviewer') ?? busy ?? own,
    revise: lacks('developer') ?? busy,
    withdraw: lacks('developer') ?? busy,
    comment: lacks('developer'),
  }
}

function busyText(status: Status): string | null {
  if (status === 'deploying') return 'It is being deployed.'
  return status === 'tried' ? 'It is tried now: promote or withdraw it first.' : null
}

/** Why somebody may not do what needs a role in an application; null where they may, as where nobody signs in. */
export function roleLacking(person: Person | null, application: string, needed: Rank): string | null {
  if (person === null) return null
  const held = person.roles.filter((given) => given.application === null || given.application === application)
  const rank = Math.max(-1, ...held.map(({ role }) => RANKS.indexOf(role)))
  if (rank >= RANKS.indexOf(needed)) return null
  const have = RANKS[rank]
  return `This needs the role ${needed} in ${application}${have ? `, and you are ${have}` : ''}.`
}

function firstOf(missing: readonly string[]): string {
  const [first = 'Something is missing.'] = missing
  return missing.length > 1 ? `${first} (${missing.length - 1} more)` : first
}

interface WorstBound {
  query: string
  operations: number
  live_query: string | null
  live_operations: number | null
}

/** `≤ 1,010 requests by thoughtstream; live ≤ 510 by findUser`. */
export function worstBoundText(bound: WorstBound | null): string {
  if (bound === null) return 'no bound'
  const live =
    bound.live_query === null || bound.live_operations === null
      ? 'nothing is live'
      : `live ≤ ${formatCount(bound.live_operations)} by ${bound.live_query}`
  return `by ${bound.query}; ${live}`
}

export const CHECK_WORDS = {
  unbounded: 'Every query has a bound',
  dearer: 'No query is dearer',
  slo: 'SLOs are kept',
  limit: 'Rows fit under the limits',
  approval: 'Approvals',
} as const

export const CHOSEN_CHECKS = ['dearer', 'slo', 'limit', 'approval'] as const

export const MODE_WORDS: Readonly<Record<CheckMode, string>> = { block: 'blocks', warn: 'warns', off: 'is off' }

interface Check {
  mode: CheckMode
  outcome: 'passed' | 'failed' | 'unknown'
}

/** What became of a check, in a word: red is only what keeps the request from being deployed. */
export function outcomeWord({ mode, outcome }: Check): { word: string; tone: Tone } {
  if (outcome === 'passed') return { word: 'passed', tone: 'accent' }
  const word = outcome === 'failed' ? 'failed' : 'not known'
  return { word, tone: mode === 'block' ? 'danger' : mode === 'warn' ? 'warning' : 'plain' }
}

interface Changes {
  tables: readonly { table: string; kind: string; change: string }[]
  removed: readonly string[]
  replaced: readonly { query: string }[]
}

/** What is lost by a deployment, a sentence each. */
export function losses({ tables, removed, replaced }: Changes): string[] {
  return [
    ...tables.filter(({ change }) => change === 'removed').map(({ table, kind }) => `The ${kind} ${table} is removed.`),
    ...removed.map((query) => `The query ${query} is removed: programs that run it get an error.`),
    ...replaced.map(({ query }) => `The query ${query} of somebody else is replaced.`),
  ]
}

/** What the environment asks of requests. */
export function rulesText({ needs_request, approvals, excludes_author }: Rules): string {
  const way = needs_request
    ? 'Nothing is deployed here without a request.'
    : 'Deploying without a request is allowed here, too.'
  if (approvals === 0) return `${way} A request needs no approval.`
  const who = excludes_author ? ', not counting that of whoever wrote its text' : ''
  return `${way} A request needs ${plural(approvals, 'approval')}${who}.`
}

/** Who may start load runs, by the rule. */
export const LOAD_WORDS = {
  developer: 'Developers may start load runs here.',
  deployer: 'Only deployers may start load runs here.',
  nobody: 'Nobody may start load runs here.',
} as const

/** Why no request could ever be approved under rules; null where one could. The person is null where nobody signs in. */
export function impossibleRules({ approvals, excludes_author, checks }: ChosenRules, person: Person | null) {
  if (person !== null || approvals === 0 || checks.approval !== 'block') return null
  if (excludes_author) return 'Nobody signs in here, so each text would be your own: nothing could be approved.'
  if (approvals > 1) return 'Nobody signs in here, so a request gets one approval at most: nothing could be deployed.'
  return null
}

interface Origin {
  origin: string
  save: number | null
}

/** Where the text of a request is from. */
export function originText({ origin, save }: Origin): string {
  if (origin === 'files') return save === null ? 'the text of the editor' : `the files of save ${save}`
  return origin.startsWith('version ') ? origin : `what was live as ${origin}`
}

interface Comment {
  query: string | null
  path: string | null
  line: number | null
}

/** What a comment is about; empty for the whole request. */
export function aboutText({ query, path, line }: Comment): string {
  if (query !== null) return query
  if (path === null) return ''
  return line === null ? path : `${path}, line ${line}`
}
