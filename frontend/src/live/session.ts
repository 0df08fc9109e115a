/**
 * One file in a live session: the document of Yjs is the text, the server saves it.
 *
 *     typed here → the document → the server → everybody else; saved a moment later, which it acknowledges
 *     typed there → the document → the text here
 *
 * It begins when somebody else has the file open and the document has come. The text here must be saved by then, or
 * differ in one place that nobody else has changed. Until it begins, the text is saved as in a file that one person edits.
 * While there is no socket, edits wait in the document. The draft holds a copy of it (decision 0046).
 */
import { Awareness, applyAwarenessUpdate, encodeAwarenessUpdate, removeAwarenessStates } from 'y-protocols/awareness'
import { applyUpdate, Doc, encodeStateAsUpdate, encodeStateVector, UndoManager } from 'yjs'
import { answered, api, Unreachable } from '../api/client'
import { belowRoot } from '../api/root'
import { dismissAbout, notify } from '../app/notices'
import {
  documentAt,
  draftToMerge,
  forgetDraftToMerge,
  markFailed,
  markSaved,
  setLive,
  setText,
  type TextDocument,
  useDocuments,
} from '../documents/documents'
import { saveAgain, savingOf, tellWritten } from '../documents/saving'
import type { Draft, LiveDraft } from '../logic/drafts'
import { changeBetween, rebasedChange, type TextChange } from '../logic/rebased-change'
import { changesOf } from '../logic/text-changes'
import { bytesOf, textOf } from './base64'
import { Connection } from './connection'
import { Incoming } from './incoming'
import { answering, asking, edits, presence, type Received } from './messages'

/** The origins of edits of the document: who typed here can undo these alone. */
export const TYPED_HERE = 'typed here'
/** A text that was saved without a session is in the document of the server after this time, or never comes. */
const MS_UNTIL_TAKEN_UP = 1500
const FROM_SERVER = 'from the server'

/** What shows the text while there is an editor for it. */
export interface Binding {
  /** Makes the text that of the document, which these changes have just been made to. */
  show(changes: readonly TextChange[]): void
  dispose(): void
}

export interface SessionListener {
  /** The session has begun, has been cut off or is there again, or may be edited from now on. */
  onChange(): void
  /** This page has no live session any more; it may try again later. */
  onOver(isRefused: boolean): void
}

export class LiveSession {
  readonly doc = new Doc()
  readonly text = this.doc.getText('text')
  readonly awareness = new Awareness(this.doc)
  readonly undo = new UndoManager(this.text, { trackedOrigins: new Set([TYPED_HERE]) })
  isLive = false
  isConnected = false
  mayWrite = true
  private name = ''
  private messages = 0
  private hasOwnEdits = false
  private isSynced = false
  private isRetired = false
  private isOver = false
  /** The revision that the server's document was last said to have. */
  private revision = ''
  /** Whether the session may still wait for the document to take up a text that was saved here before it began. */
  private isWaitingForSaved = true
  private waiting: ReturnType<typeof setTimeout> | undefined
  /** The revision under which the server has saved the text as it is now; null until it says so. */
  private savedRevision: string | null = null
  private trouble = ''
  /** Since when the server answers other requests while it has no socket for this page; null while it does not. */
  private answersSince: number | null = null
  /** The text of a draft that was brought into the document, from which the text here may differ by now. */
  private mergedDraft: string | null = null
  private binding: Binding | null = null
  private bind: (() => Binding) | null = null
  /** The changes of the text by the edits of the next `update`. */
  private changes: readonly TextChange[] = []
  private readonly connection: Connection
  /** What others type and where they are may come together; everything else is about the text as it was told so far. */
  private readonly incoming = new Incoming<Received>(
    (message) => message.kind === 'presence' || (message.kind === 'update' && !message.isAnswer),
    (messages) => this.takeAll(messages),
  )
  private readonly stopWatching: () => void

  constructor(
    readonly application: string,
    readonly path: string,
    private readonly listener: SessionListener,
  ) {
    this.awareness.setLocalState({})
    this.text.observe(({ delta }) => {
      this.changes = changesOf(delta)
    })
    this.doc.on('update', (update: Uint8Array, origin: unknown) => this.onUpdate(update, origin))
    this.awareness.on('update', (_: unknown, origin: unknown) => {
      if (origin === 'local') this.tellPresence()
      else if (this.isSynced) this.begin()
      this.listener.onChange()
    })
    this.connection = new Connection(addressOf(application, path), {
      onMessage: (message) => this.incoming.receive(message),
      onSilence: () => this.connection.send(asking(encodeStateVector(this.doc))),
      onEnd: () => this.onEnd(),
      onFailedAgain: (beganAt) => void this.giveUpIfRefused(beganAt),
      onStatus: (status) => {
        if (status === 404) this.end(false)
      },
    })
    this.stopWatching = useDocuments.subscribe((state) => {
      if (state.application !== this.application) this.end(false)
      else if (!this.isLive && this.isSynced) this.begin()
      else if (this.isRetired) this.endIfSaved()
    })
  }

  /** From now on, an editor shows the text. */
  attach(bind: () => Binding): void {
    this.isRetired = false
    this.bind = bind
    if (this.isLive && !this.binding) this.binding = bind()
  }

  /** The editor is gone. */
  detach(): void {
    this.binding?.dispose()
    this.binding = null
    this.bind = null
  }

  /** Ends it once everything typed here is saved. */
  retire(): void {
    this.isRetired = true
    this.endIfSaved()
  }

  /** Ends it; what is not saved stays a draft, and is saved as any text. */
  end(isRefused: boolean): void {
    if (this.isOver) return
    this.isOver = true
    this.stopWatching()
    clearTimeout(this.waiting)
    this.incoming.flush()
    this.incoming.stop()
    this.connection.close()
    this.detach()
    this.awareness.destroy()
    this.undo.destroy()
    if (useDocuments.getState().application === this.application) {
      const isWaiting = this.isLive || draftToMerge(this.path) !== undefined
      setLive(this.path, null)
      forgetDraftToMerge(this.path)
      if (isWaiting) saveAgain()
    }
    this.isLive = false
    this.listener.onOver(isRefused)
    this.doc.destroy()
  }

  /** Changes of the text by whoever sits here. */
  edit(changes: readonly TextChange[]): void {
    const fromTheEnd = changes.toSorted((a, b) => b.start - a.start)
    this.doc.transact(() => {
      const before = this.text.toString()
      for (const { start, end, text } of fromTheEnd) {
        // What stays the same is not replaced: others may type in it.
        const change = changeBetween(before.slice(start, end), text)
        if (!change) continue
        if (change.end > change.start) this.text.delete(start + change.start, change.end - change.start)
        if (change.text) this.text.insert(start + change.start, change.text)
      }
    }, TYPED_HERE)
  }

  /** Takes edits as one, so that the text changes once; carets come after the text that they are in. */
  private takeAll(messages: readonly Received[]): void {
    const updates = messages.filter(({ kind }) => kind === 'update')
    if (updates.length > 1)
      this.doc.transact(() => {
        for (const message of updates) this.take(message)
      }, FROM_SERVER)
    else for (const message of updates) this.take(message)
    for (const message of messages) if (message.kind !== 'update') this.take(message)
  }

  private take(message: Received): void {
    switch (message.kind) {
      case 'document':
        this.revision = message.revision
        this.onDocument(message.document, message.mayWrite)
        break
      case 'vector':
        if (this.mayWrite) this.sendEdits(answering(encodeStateAsUpdate(this.doc, message.content)))
        break
      case 'update':
        applyUpdate(this.doc, message.content, FROM_SERVER)
        if (message.isAnswer) {
          this.isSynced = true
          this.begin()
        }
        break
      case 'presence':
        applyAwarenessUpdate(this.awareness, message.content, FROM_SERVER)
        break
      case 'saved':
        this.onSaved(message.revision, message.messages, message.isCurrent)
        break
      case 'not saved':
        if (!this.isLive) break
        markFailed(this.path)
        if (this.trouble !== message.reason)
          notify({
            tone: 'danger',
            subject: savingOf(this.path),
            text: `${this.path} is not saved yet. ${message.reason}`,
          })
        this.trouble = message.reason
    }
  }

  private onDocument(name: string, mayWrite: boolean): void {
    if ((this.name && this.name !== name) || (!mayWrite && this.hasOwnEdits)) {
      this.end(false)
      return
    }
    this.name = name
    this.mayWrite = mayWrite
    this.isConnected = true
    this.answersSince = null
    const draft = draftToMerge(this.path)
    if (draft?.document === name && mayWrite && this.mergedDraft === null) {
      applyUpdate(this.doc, bytesOf(draft.state), FROM_SERVER)
      this.mergedDraft = this.text.toString()
    }
    this.connection.send(asking(encodeStateVector(this.doc)))
    // Twice: the server has told the others the clock after ours when the last socket ended.
    this.awareness.setLocalState(this.awareness.getLocalState())
    this.awareness.setLocalState(this.awareness.getLocalState())
    this.listener.onChange()
  }

  /** Makes the document the text, where that loses nothing that was typed here. */
  private begin(): void {
    const file = documentAt(this.path)
    if (this.isLive || this.isOver || !file || file.conflict || file.saveState === 'saving') return
    if (this.awareness.getStates().size < 2 && !draftToMerge(this.path)) return
    if (this.isWaitingForSaved && file.revision !== this.revision) {
      this.waiting ??= setTimeout(() => {
        this.isWaitingForSaved = false
        if (this.isSynced) this.begin()
      }, MS_UNTIL_TAKEN_UP)
      return
    }
    if (!this.makeLinesEqual()) return
    const change = this.changeTyped(file)
    if (change === 'overlap' || (change && !this.mayWrite)) {
      forgetDraftToMerge(this.path) // it is saved as any draft, and a person chooses
      saveAgain()
      return
    }
    this.isLive = true
    this.hasOwnEdits ||= change !== null || this.mergedDraft !== null
    setLive(this.path, this.liveText())
    if (change) this.edit([change])
    this.undo.clear()
    this.binding = this.bind?.() ?? null
    this.showText()
    forgetDraftToMerge(this.path)
    this.noteSaved()
    this.listener.onChange()
  }

  /** What was typed here and is not in the document yet. */
  private changeTyped(file: TextDocument): TextChange | null | 'overlap' {
    const base = this.mergedDraft ?? file.savedText
    return rebasedChange(withEqualLines(base), withEqualLines(file.text), this.text.toString())
  }

  private liveText() {
    return {
      hasOwnEdits: () => this.hasOwnEdits,
      draft: (): LiveDraft => ({ document: this.name, state: textOf(encodeStateAsUpdate(this.doc)) }),
      merge: (draft: Draft, savedText: string) => this.merge(draft, savedText),
    }
  }

  private merge(draft: Draft, savedText: string): boolean {
    if (!this.mayWrite) return false
    if (draft.live?.document === this.name) {
      const before = encodeStateVector(this.doc)
      applyUpdate(this.doc, bytesOf(draft.live.state), FROM_SERVER)
      this.hasOwnEdits = true
      this.sendEdits(edits(encodeStateAsUpdate(this.doc, before)))
      return true
    }
    if (draft.baseRevision !== documentAt(this.path)?.revision) return false
    const base = withEqualLines(savedText)
    const change = rebasedChange(base, withEqualLines(draft.text), this.text.toString())
    if (change === 'overlap') return false
    if (change) this.edit([change])
    this.showText()
    return true
  }

  /** Makes all ends of lines `\n`, so that all editors count the same; false where this page may not. */
  private makeLinesEqual(): boolean {
    const text = this.text.toString()
    if (!text.includes('\r')) return true
    if (!this.mayWrite) return false
    this.edit(
      [...text.matchAll(/\r\n?/g)].map(({ index, 0: end }) => ({
        start: index,
        end: index + 1,
        text: end === '\r' ? '\n' : '',
      })),
    )
    return true
  }

  private onUpdate(update: Uint8Array, origin: unknown): void {
    const { changes } = this
    this.changes = []
    this.savedRevision = null
    if (origin === FROM_SERVER) {
      if (this.isLive && this.makeLinesEqual()) this.showText(changes)
      return
    }
    this.hasOwnEdits = true
    if (this.isConnected) this.sendEdits(edits(update))
    else queueMicrotask(() => !this.isOver && !this.isConnected && markFailed(this.path))
    if (this.binding || origin !== TYPED_HERE) this.showText(changes)
  }

  private showText(changes: readonly TextChange[] = []): void {
    if (this.binding) this.binding.show(changes)
    else if (this.isLive) setText(this.path, this.text.toString())
  }

  private sendEdits(message: Uint8Array<ArrayBuffer>): void {
    if (this.connection.send(message)) this.messages += 1
  }

  private onSaved(revision: string, messages: number, isCurrent: boolean): void {
    this.trouble = ''
    this.revision = revision
    if (this.isSynced) this.begin()
    const areOwnSaved = this.isConnected && this.isSynced && messages === this.messages
    if (areOwnSaved) this.hasOwnEdits = false
    if (!areOwnSaved || !isCurrent) return
    this.savedRevision = revision
    this.noteSaved()
  }

  private noteSaved(): void {
    if (!this.isLive || this.savedRevision === null) return
    tellWritten()
    dismissAbout(savingOf(this.path))
    markSaved({ path: this.path, text: this.text.toString(), revision: this.savedRevision })
    this.endIfSaved()
  }

  private onEnd(): void {
    this.incoming.flush()
    this.isConnected = false
    this.isSynced = false
    this.messages = 0
    const others = [...this.awareness.getStates().keys()].filter((client) => client !== this.doc.clientID)
    removeAwarenessStates(this.awareness, others, FROM_SERVER)
    for (const client of others) this.awareness.meta.delete(client) // or the same is not taken when it is told again
    if (this.isLive && this.hasOwnEdits) markFailed(this.path)
    this.listener.onChange()
  }

  /**
   * Without a socket, but with a server that answers, the text is saved as any other. A server that has just come back
   * answers, too: so an attempt that began before the first answer says nothing.
   */
  private async giveUpIfRefused(beganAt: number): Promise<void> {
    const isAway = await answered(api.GET('/api/session')).then(
      () => false,
      (error: unknown) => error instanceof Unreachable,
    )
    if (isAway || this.isConnected) this.answersSince = null
    else if (this.answersSince === null) this.answersSince = performance.now()
    else if (beganAt >= this.answersSince) this.end(true)
  }

  private endIfSaved(): void {
    const isSaved = this.isLive
      ? !this.hasOwnEdits && documentAt(this.path)?.saveState !== 'changed'
      : draftToMerge(this.path) === undefined
    if (this.isRetired && isSaved) this.end(false)
  }

  private tellPresence(): void {
    this.connection.send(presence(encodeAwarenessUpdate(this.awareness, [this.doc.clientID])))
  }
}

const withEqualLines = (text: string) => text.replaceAll(/\r\n?/g, '\n')

function addressOf(application: string, path: string): string {
  const segments = [application, 'live', ...path.split('/')].map(encodeURIComponent)
  const url = new URL(belowRoot(`/api/applications/${segments.join('/')}`), location.origin)
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  return url.href
}
