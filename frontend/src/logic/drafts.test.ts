import { describe, expect, it } from 'vitest'
import {
  comparePaths,
  type DraftStorage,
  readDrafts,
  reconcile,
  removeDraft,
  takeOverDrafts,
  writeDraft,
} from './drafts'

function memory(): DraftStorage {
  const entries = new Map<string, string>()
  return {
    getItem: (key) => entries.get(key) ?? null,
    setItem: (key, value) => void entries.set(key, value),
    removeItem: (key) => void entries.delete(key),
    keys: () => [...entries.keys()],
  }
}

const draft = (text: string, baseRevision: string | null = 'r1', path = 'a.piql') => ({
  tab: 'here',
  path,
  text,
  baseRevision,
  at: 0,
})
const server = (text: string, revision = 'r1', path = 'a.piql') => ({ path, text, revision })

describe('drafts', () => {
  it('are read back as they were written, the last one of a path', () => {
    const storage = memory()
    writeDraft(storage, 'scadr', draft('one'))
    writeDraft(storage, 'scadr', draft('two'))
    expect(readDrafts(storage, 'scadr').map((entry) => entry.text)).toEqual(['two'])
    expect(readDrafts(storage, 'shop')).toEqual([])
  })

  it('leave nothing behind once removed', () => {
    const storage = memory()
    writeDraft(storage, 'scadr', draft('one'))
    removeDraft(storage, 'scadr', { tab: 'here', path: 'a.piql' })
    expect(storage.keys()).toEqual([])
  })

  it('of two tabs with one file stand beside each other', () => {
    const storage = memory()
    writeDraft(storage, 'scadr', { ...draft('one'), at: 1 })
    writeDraft(storage, 'scadr', { ...draft('another'), tab: 'there', at: 2 })
    expect(readDrafts(storage, 'scadr').map(({ text }) => text)).toEqual(['another', 'one'])
    removeDraft(storage, 'scadr', { tab: 'here', path: 'a.piql' })
    expect(readDrafts(storage, 'scadr').map(({ text }) => text)).toEqual(['another'])
  })

  describe('of a tab that is gone', () => {
    const gone = (tab: string, text: string, at: number) => ({ ...draft(text), tab, at })
    const opened = (storage: DraftStorage, alive: readonly string[] = [], files = [server('saved')]) =>
      takeOverDrafts(storage, 'scadr', 'here', (tab) => alive.includes(tab), files).map(
        ({ tab, path, text }) => `${tab} ${path} ${text}`,
      )

    it('are taken over, and those of a tab that is open are left to it', () => {
      const storage = memory()
      writeDraft(storage, 'scadr', gone('crashed', 'typed', 1))
      writeDraft(storage, 'scadr', gone('open', 'being typed', 2))
      expect(opened(storage, ['open'])).toEqual(['here a.piql typed'])
      expect(readDrafts(storage, 'scadr').map(({ tab, text }) => `${tab} ${text}`)).toEqual([
        'open being typed',
        'here typed',
      ])
    })

    it('are all kept: the last that was typed as the file, the others beside it', () => {
      const storage = memory()
      writeDraft(storage, 'scadr', gone('first', 'older', 1))
      writeDraft(storage, 'scadr', gone('second', 'newest', 3))
      writeDraft(storage, 'scadr', gone('third', 'newer', 2))
      expect(opened(storage)).toEqual(['here a.piql newest', 'here a.mine.piql newer', 'here a.mine2.piql older'])
      expect(opened(storage)).toHaveLength(3)
    })

    it('never replace what was typed here, nor come back once they are saved', () => {
      const storage = memory()
      writeDraft(storage, 'scadr', gone('here', 'mine', 1))
      writeDraft(storage, 'scadr', gone('gone', 'theirs', 2))
      writeDraft(storage, 'scadr', gone('later', 'saved', 3))
      expect(opened(storage)).toEqual(['here a.piql mine', 'here a.mine.piql theirs'])
    })
  })

  it('are ignored where the storage holds something else', () => {
    const storage = memory()
    const held = [
      '{broken',
      'null',
      '5',
      JSON.stringify({ ...draft('x'), path: 5 }),
      JSON.stringify({ path: 'a.piql', text: 'x' }),
      JSON.stringify(draft('x', 'r1', 'b.piql')),
    ]
    for (const text of held) {
      storage.setItem('piql:draft:scadr:here:a.piql', text)
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
