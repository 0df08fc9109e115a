import { describe, expect, it } from 'vitest'
import { type DeployFacts, deployState, fileChanges, type PreviewFacts, queryCount } from './deploy-state'

const PREVIEW: PreviewFacts = {
  can_deploy: true,
  diagnostics: [],
  tables: [],
  added: [],
  changed: [],
  removed: [],
  unchanged: ['find', 'stream'],
  indexes_added: [],
  indexes_removed: [],
  bounds_changed: [],
  kept: [],
  replaced: [],
  refusal: null,
}
const NOTHING_AGREED = { toRemove: false, toReplace: false }

const preview = (change: Partial<PreviewFacts> = {}): PreviewFacts => ({ ...PREVIEW, ...change })
const state = (change: Partial<DeployFacts> = {}) =>
  deployState({
    textVersion: 5,
    preview: preview(),
    previewOf: 5,
    previewError: null,
    changedFiles: [],
    staleFiles: [],
    nextVersion: 8,
    agreed: NOTHING_AGREED,
    isOtherRun: false,
    isDeploying: false,
    isBuilding: false,
    refusal: null,
    ...change,
  })

describe('the deploy panel', () => {
  it('has nothing to deploy when the text is what is live', () => {
    expect(state()).toMatchObject({
      kind: 'same',
      headline: 'This text is already live.',
      hasChanges: false,
      button: { isEnabled: false },
    })
  })

  it('says that only comments differ, and can deploy them', () => {
    expect(state({ changedFiles: ['a.piql'] })).toMatchObject({
      kind: 'text',
      hasChanges: true,
      button: { isEnabled: true, isPrimary: false },
    })
    expect(state({ changedFiles: ['a.piql'] }).headline).not.toContain('is what is live already')
  })

  it('can deploy the same text for other predictions, and says that this is all', () => {
    expect(state({ isOtherRun: true })).toMatchObject({
      kind: 'predictions',
      button: { isEnabled: true, isPrimary: false },
    })
    expect(state({ isOtherRun: true }).help).toContain('only store the predictions')
  })

  it('offers what changes anything', () => {
    for (const change of [
      { added: ['x'] },
      { changed: ['x'] },
      { removed: ['x'] },
      { indexes_removed: ['x'] },
      { bounds_changed: [{}] },
      { indexes_added: [{}] },
    ]) {
      expect(state({ preview: preview(change), changedFiles: ['a.piql'] })).toMatchObject({
        kind: 'ready',
        hasChanges: true,
        button: { label: 'Deploy version 8', isEnabled: true, isPrimary: true },
      })
    }
  })

  it('is refused for errors, of which there is at least one', () => {
    const errors = (count: number) =>
      preview({
        can_deploy: false,
        diagnostics: [{ severity: 'warning' }, ...Array.from({ length: count }, () => ({ severity: 'error' }))],
      })
    expect(state({ preview: errors(1) })).toMatchObject({
      kind: 'errors',
      tone: 'danger',
      headline: 'Deploying is refused: 1 error.',
      button: { isEnabled: false },
    })
    expect(state({ preview: errors(2) }).headline).toBe('Deploying is refused: 2 errors.')
    expect(state({ preview: errors(0) })).toMatchObject({
      kind: 'empty',
      tone: 'plain',
      headline: 'There is no table and no query to deploy.',
      button: { isEnabled: false },
    })
  })

  it('lets an application begin with its tables alone', () => {
    const tables = [{ table: 'users', refusal: null }]
    expect(state({ preview: preview({ tables, unchanged: [] }) })).toMatchObject({
      kind: 'ready',
      tone: 'accent',
      headline: 'There is no query yet: the tables alone can be deployed.',
      hasChanges: true,
      button: { isEnabled: true, isPrimary: true },
    })
  })

  it('warns where no query would be left', () => {
    expect(state({ preview: preview({ unchanged: [], removed: ['find', 'stream'] }) })).toMatchObject({
      tone: 'warning',
      headline: 'No query would be live: this removes 2 queries.',
      button: { isEnabled: true },
    })
    expect(state({ preview: preview({ unchanged: [], removed: ['find'], kept: [{}] }) })).toMatchObject({
      tone: 'accent',
    })
  })

  it('is refused for tables that cannot change', () => {
    const tables = [
      { table: 'users', refusal: 'its primary key cannot change' },
      { table: 'thoughts', refusal: null },
    ]
    expect(state({ preview: preview({ tables }) })).toMatchObject({
      kind: 'tables',
      headline: 'Deploying will be refused: users cannot change like this.',
      hasChanges: true,
      button: { isEnabled: false },
    })
  })

  it('is refused where it would break what stays', () => {
    expect(state({ preview: preview({ can_deploy: false, refusal: 'byTown would read no table.' }) })).toMatchObject({
      kind: 'breaks',
      headline: 'Deploying will be refused: byTown would read no table.',
      hasChanges: true,
      button: { isEnabled: false },
    })
  })

  it('touches the queries of others only when that was agreed to', () => {
    const replaced = preview({ replaced: [{}], changed: ['find'] })
    expect(state({ preview: replaced })).toMatchObject({
      kind: 'replaces',
      tone: 'warning',
      button: { isEnabled: false },
    })
    expect(state({ preview: replaced, agreed: { toRemove: false, toReplace: true } })).toMatchObject({
      kind: 'ready',
      button: { isEnabled: true },
    })
    const kept = preview({ kept: [{}] })
    expect(state({ preview: kept })).toMatchObject({ kind: 'same' })
    expect(state({ preview: kept, agreed: { toRemove: true, toReplace: false } })).toMatchObject({
      kind: 'ready',
      button: { isEnabled: true },
    })
  })

  it('does not deploy over a newer text of somebody else', () => {
    expect(state({ staleFiles: ['a.piql'], preview: preview({ added: ['x'] }) })).toMatchObject({
      kind: 'stale',
      tone: 'danger',
      headline: 'Deploying is refused: a.piql is newer on the server than here.',
      hasChanges: false,
      button: { isEnabled: false },
    })
  })

  it('waits for the comparison of the text as it is now', () => {
    for (const facts of [{ preview: null }, { previewOf: 4 }, { changedFiles: null }]) {
      expect(state(facts)).toMatchObject({ kind: 'comparing', button: { isEnabled: false } })
    }
    expect(state({ previewError: 'The server is away.' })).toMatchObject({
      kind: 'unknown',
      tone: 'danger',
      help: 'The server is away.',
      button: { isEnabled: false },
    })
  })

  it('deploys once, and not beside another version on its way', () => {
    const ready = { preview: preview({ added: ['x'] }) }
    expect(state({ ...ready, isDeploying: true })).toMatchObject({
      kind: 'deploying',
      button: { label: 'Deploying version 8…', isEnabled: false },
    })
    expect(state({ ...ready, isBuilding: true })).toMatchObject({ kind: 'building', button: { isEnabled: false } })
  })

  it('forgets a refusal with the text that was refused, and with the next try', () => {
    const refusal = { message: 'Two rows break it.', help: null, textVersion: 5 }
    expect(state({ refusal }).refusal).toBe(refusal)
    expect(state({ refusal, textVersion: 6, previewOf: 6 }).refusal).toBeNull()
    expect(state({ refusal, isDeploying: true }).refusal).toBeNull()
  })

  it('never offers the button beside words that say there is nothing, or no way, to deploy', () => {
    const kinds = new Set<string>()
    for (const can_deploy of [true, false])
      for (const added of [[], ['x']])
        for (const changedFiles of [null, [], ['a.piql']])
          for (const isOtherRun of [true, false])
            for (const previewOf of [4, 5])
              for (const isBuilding of [true, false]) {
                const { kind, button, tone, help } = state({
                  preview: preview({ can_deploy, added }),
                  changedFiles,
                  isOtherRun,
                  previewOf,
                  isBuilding,
                })
                kinds.add(kind)
                if (button.isEnabled) {
                  expect(tone).not.toBe('danger')
                  expect(help).not.toBe('There is nothing to deploy.')
                  expect([can_deploy, previewOf, isBuilding]).toEqual([true, 5, false])
                }
              }
    expect(kinds).toEqual(new Set(['comparing', 'building', 'empty', 'ready', 'text', 'predictions', 'same']))
  })

  it('counts the queries that are live afterwards', () => {
    expect(queryCount(preview({ added: ['x'], changed: ['y'], removed: ['z'], kept: [{}] }), NOTHING_AGREED)).toBe(5)
    expect(queryCount(preview({ kept: [{}] }), { toRemove: true, toReplace: false })).toBe(2)
  })
})

describe('files between two versions', () => {
  it('are those that came, went and changed', () => {
    const before = [
      { path: 'a', text: '1' },
      { path: 'b', text: '2' },
      { path: 'd', text: '4' },
    ]
    const after = [
      { path: 'b', text: '3' },
      { path: 'a', text: '1' },
      { path: 'c', text: '' },
    ]
    expect(fileChanges(before, after)).toEqual([
      { path: 'b', before: '2', after: '3' },
      { path: 'c', before: '', after: '' },
      { path: 'd', before: '4', after: '' },
    ])
  })
})
