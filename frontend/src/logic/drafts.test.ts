import { describe, expect, it } from 'vitest'
import { comparePaths, readDrafts, reconcile, removeDraft, removeSavedDraft, writeDraft, type DraftStorage } from './drafts'

function memory(): DraftStorage & { keys: () => string[] } {
  const entries = new Map<string, string>()
  return {
    getItem: (key) => entries.get(key) ?? null,
    setItem: (key, value) => void entries.set(key, value),
    removeItem: (key) => void entries.delete(key),
    keys: () => [...entries.keys()],
  }
}

const draft = (text: string, baseRevision: string | null = 'r1', path = 'a.piql') => ({ path, text, baseRevision, at: 0 })
const server = (text: string, revision = 'r1', path = 'a.piql') => ({ path, text, revision })

describe('drafts', () => {
  it('are read back as they were written, the last one of a path', () => {
    const storage = memory()
    writeDraft(storage, 'scadr', draft('one'))
    writeDraft(storage, 'scadr', draft('two'))
    expect(readDrafts(storage, 'scadr').map((each) => each.text)).toEqual(['two'])
    expect(readDrafts(storage, 'shop')).toEqual([])
  })

  it('leave nothing behind once removed', () => {
    const storage = memory()
    writeDraft(storage, 'scadr', draft('one'))
    removeDraft(storage, 'scadr', 'a.piql')
    expect(storage.keys()).toEqual([])
  })

  it('of a text that the server has go, and those that another tab has typed since stay', () => {
    const storage = memory()
    writeDraft(storage, 'scadr', draft('typed in another tab'))
    removeSavedDraft(storage, 'scadr', { path: 'a.piql', text: 'saved by this one' })
    expect(readDrafts(storage, 'scadr').map((each) => each.text)).toEqual(['typed in another tab'])
    removeSavedDraft(storage, 'scadr', { path: 'a.piql', text: 'typed in another tab' })
    expect(storage.keys()).toEqual([])
  })

  it('are ignored where the storage holds something else', () => {
    const storage = memory()
    storage.setItem('piql:draft:scadr', '["a.piql"]')
    const held = ['{broken', 'null', '5', JSON.stringify({ path: 5, text: 'x', baseRevision: null }), JSON.stringify({ path: 'a.piql', text: 'x' }), JSON.stringify(draft('x', 'r1', 'b.piql'))]
    for (const text of held) {
      storage.setItem('piql:draft:scadr:a.piql', text)
      expect(readDrafts(storage, 'scadr')).toEqual([])
    }
  })

  it('are laid over the text they were made from', () => {
    const { files, restored } = reconcile([server('old')], [draft('typed')])
    expect(files).toEqual([{ path: 'a.piql', text: 'typed', savedText: 'old', revision: 'r1', conflict: null }])
    expect(restored).toEqual(['a.piql'])
  })

  it('meet a newer text as a conflict that keeps both', () => {
    const { files } = reconcile([server('theirs', 'r2')], [draft('mine', 'r1')])
    expect(files[0]?.text).toBe('mine')
    expect(files[0]?.conflict).toEqual(server('theirs', 'r2'))
  })

  it('are forgotten when the server already has the text', () => {
    expect(reconcile([server('same', 'r2')], [draft('same', 'r1')]).restored).toEqual([])
  })

  it('bring back a file the server has never seen', () => {
    const { files, restored } = reconcile([], [draft('new', null, 'b.piql')])
    expect(files.map((file) => [file.path, file.revision])).toEqual([['b.piql', null]])
    expect(restored).toEqual(['b.piql'])
  })

  it('list files of a folder before its sub-folders', () => {
    expect(['queries/b.piql', 'schema.piql', 'queries/a.piql'].toSorted(comparePaths)).toEqual([
      'schema.piql',
      'queries/a.piql',
      'queries/b.piql',
    ])
  })
})
