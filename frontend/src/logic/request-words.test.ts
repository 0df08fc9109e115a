import { describe, expect, it } from 'vitest'
import {
  aboutText,
  deployerText,
  headline,
  impossibleRules,
  listText,
  losses,
  originText,
  outcomeWord,
  type Request,
  rulesText,
  whyNot,
  worstBoundText,
} from './request-words'

const OPEN: Request = {
  number: 3,
  author: 'ada',
  status: 'open',
  approvals: 0,
  approvals_needed: 0,
  open_comments: 0,
  withdrawn_by: null,
  deployed_version: null,
  deployed_by: null,
}

const RULES = { needs_request: true, approvals: 1, excludes_author: true }
const MISSING = '0 of 1 approval of this text given.'

function detail(rest: Partial<Request> & { missing?: string[] } = {}) {
  const { missing = [], ...request } = rest
  return { ...OPEN, ...request, authors: ['ada'], missing, may_be_deployed: missing.length === 0 }
}

function person(name: string, role: 'viewer' | 'developer' | 'reviewer' | 'deployer', application: string | null) {
  return { name, roles: [{ application, role }] }
}

describe('the list of requests', () => {
  it('says what a request waits for', () => {
    expect(listText(OPEN)).toBe('It needs no approval: see its checks.')
    expect(listText({ ...OPEN, approvals_needed: 2, approvals: 1 })).toBe('It needs 1 more of 2 approvals.')
    expect(listText({ ...OPEN, approvals_needed: 1, approvals: 1, status: 'approved' })).toContain('has its approvals')
    expect(listText({ ...OPEN, status: 'outdated' })).toContain('take what is live now as its base')
    expect(listText({ ...OPEN, open_comments: 2 })).toContain('2 comments not settled.')
  })

  it('says how a request ended, and names nobody where nobody signs in', () => {
    expect(listText({ ...OPEN, status: 'deployed', deployed_version: 4, deployed_by: 'ben', open_comments: 1 })).toBe(
      'Deployed as version 4 by ben.',
    )
    expect(listText({ ...OPEN, status: 'withdrawn' })).toBe('Withdrawn.')
  })
})

describe('who deployed a version', () => {
  it('is a person, another application, or nobody in particular', () => {
    expect(deployerText({ deployed_by: 'ada', application_id: 'scadr' }, 'scadr')).toBe(' by ada')
    expect(deployerText({ deployed_by: 'a program', application_id: null }, 'scadr')).toBe(' by a program')
    expect(deployerText({ deployed_by: 'tpcw', application_id: 'tpcw' }, 'scadr')).toBe(' by the application tpcw')
    expect(deployerText({ deployed_by: 'scadr', application_id: 'scadr' }, 'scadr')).toBe('')
  })
})

describe('one request', () => {
  it('says first whether it may be deployed', () => {
    expect(headline(detail())).toEqual({ tone: 'accent', text: 'This may be deployed: nothing is missing.' })
    expect(headline(detail({ missing: [MISSING] })).text).toBe('This may not be deployed yet: one thing is missing.')
    expect(headline(detail({ missing: [MISSING, 'more'] })).text).toContain('2 things are missing.')
    expect(headline(detail({ status: 'refused', missing: ['refused'] })).tone).toBe('danger')
    expect(headline(detail({ status: 'deployed', deployed_version: 2 })).text).toBe('Deployed as version 2.')
  })

  it('lets somebody alone do everything that its state allows', () => {
    const free = { deploy: null, review: null, approve: null, revise: null, withdraw: null, comment: null }
    expect(whyNot(detail(), RULES, null, 'shop')).toEqual(free)
    expect(whyNot(detail({ missing: [MISSING, 'more'] }), RULES, null, 'shop')).toEqual({
      ...free,
      deploy: `${MISSING} (1 more)`,
    })
    expect(whyNot(detail({ status: 'deploying', missing: ['x'] }), RULES, null, 'shop').withdraw).toBe(
      'It is being deployed.',
    )
  })

  it('names the role that a button needs, and the one that the person has', () => {
    const why = whyNot(detail(), RULES, person('ben', 'developer', 'shop'), 'shop')
    expect(why.deploy).toBe('This needs the role deployer in shop, and you are developer.')
    expect(why.review).toContain('reviewer')
    expect(why.comment).toBeNull()
    expect(whyNot(detail(), RULES, person('ben', 'deployer', 'other'), 'shop').comment).toBe(
      'This needs the role developer in shop.',
    )
    expect(whyNot(detail(), RULES, person('ben', 'deployer', null), 'shop').deploy).toBeNull()
  })

  it('does not let an author approve where somebody else has to, but refuse', () => {
    const ada = person('ada', 'deployer', null)
    expect(whyNot(detail(), RULES, ada, 'shop').approve).toContain('somebody else has to approve')
    expect(whyNot(detail(), RULES, ada, 'shop').review).toBeNull()
    expect(whyNot({ ...detail(), authors: [] }, RULES, null, 'shop').approve).toContain('somebody else has to approve')
    expect(whyNot(detail(), { ...RULES, excludes_author: false }, ada, 'shop').approve).toBeNull()
  })

  it('puts the worst bound beside the one that is live', () => {
    const bound = { query: 'new', operations: 1010, live_query: 'old', live_operations: 510 }
    expect(worstBoundText(bound)).toBe('by new; live ≤ 510 by old')
    expect(worstBoundText({ ...bound, live_query: null, live_operations: null })).toBe('by new; nothing is live')
    expect(worstBoundText(null)).toBe('no bound')
  })

  it('shows only what blocks in red', () => {
    expect(outcomeWord({ mode: 'block', outcome: 'failed' })).toEqual({ word: 'failed', tone: 'danger' })
    expect(outcomeWord({ mode: 'block', outcome: 'unknown' })).toEqual({ word: 'not known', tone: 'danger' })
    expect(outcomeWord({ mode: 'warn', outcome: 'failed' }).tone).toBe('warning')
    expect(outcomeWord({ mode: 'off', outcome: 'failed' }).tone).toBe('plain')
    expect(outcomeWord({ mode: 'warn', outcome: 'passed' })).toEqual({ word: 'passed', tone: 'accent' })
  })

  it('names what is lost', () => {
    const tables = [
      { table: 'notes', kind: 'table', change: 'removed' },
      { table: 'users', kind: 'table', change: 'changed' },
    ]
    expect(losses({ tables, removed: ['findUser'], replaced: [{ query: 'top' }] })).toEqual([
      'The table notes is removed.',
      'The query findUser is removed: programs that run it get an error.',
      'The query top of somebody else is replaced.',
    ])
  })

  it('says where its text is from, and what a comment is about', () => {
    expect(originText({ origin: 'files', save: 7 })).toBe('the files of save 7')
    expect(originText({ origin: 'files', save: null })).toBe('the text of the editor')
    expect(originText({ origin: 'version 3', save: null })).toBe('version 3')
    expect(originText({ origin: 'staging 4', save: null })).toBe('what was live as staging 4')
    expect(aboutText({ query: 'top', path: null, line: null })).toBe('top')
    expect(aboutText({ query: null, path: 'a.piql', line: 3 })).toBe('a.piql, line 3')
    expect(aboutText({ query: null, path: null, line: null })).toBe('')
  })
})

it('the rules are a sentence or two', () => {
  expect(rulesText({ needs_request: false, approvals: 0, excludes_author: true })).toBe(
    'Deploying without a request is allowed here, too. A request needs no approval.',
  )
  expect(rulesText({ needs_request: true, approvals: 2, excludes_author: true })).toBe(
    'Nothing is deployed here without a request. A request needs 2 approvals, not counting that of whoever wrote its text.',
  )
})

it('rules under which nothing could be approved where nobody signs in are named', () => {
  const strict = { needs_request: true, approvals: 1, excludes_author: true, checks: { approval: 'block' as const } }
  expect(impossibleRules(strict, null)).toBe(
    'Nobody signs in here, so each text would be your own: nothing could be approved.',
  )
  expect(impossibleRules({ ...strict, approvals: 2, excludes_author: false }, null)).toBe(
    'Nobody signs in here, so a request gets one approval at most: nothing could be deployed.',
  )
  expect(impossibleRules({ ...strict, excludes_author: false }, null)).toBeNull()
  expect(impossibleRules({ ...strict, approvals: 0 }, null)).toBeNull()
  expect(impossibleRules({ ...strict, checks: { approval: 'warn' } }, null)).toBeNull()
  expect(impossibleRules(strict, { name: 'ada', roles: [] })).toBeNull()
})
