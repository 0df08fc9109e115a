/**
 * The server's side of one live session as a test plays it: what a page says arrives when the test lets it, what is kept
 * outlasts a kill, and everything else does not. It does what backend/src/piql_backend/live_sessions/session.py does.
 */
import { createEncoder, toUint8Array, writeVarString, writeVarUint } from 'lib0/encoding'
import { Awareness, applyAwarenessUpdate, encodeAwarenessUpdate, removeAwarenessStates } from 'y-protocols/awareness'
import { applyUpdate, Doc, encodeStateAsUpdate, encodeStateVector } from 'yjs'
import { answering, asking, edits, presence, readMessage } from './messages'

type Bytes = Uint8Array<ArrayBuffer>

/** One socket, with what is on its way in both directions. */
export class SimulatedSocket {
  static server: SimulatedServer
  static readonly OPEN = 1
  binaryType = ''
  readyState = 0
  onmessage: ((event: { data: ArrayBuffer }) => void) | null = null
  onclose: ((event: { code: number }) => void) | null = null
  readonly toServer: Bytes[] = []
  readonly toPage: Bytes[] = []

  constructor(readonly url: string) {
    SimulatedSocket.server.opening.push(this)
  }

  send(message: Bytes): void {
    if (this.readyState === 1) this.toServer.push(message)
  }

  /** Ends it as a network does: what is on its way is gone. */
  close(code = 1006): void {
    if (this.readyState === 3) return
    this.readyState = 3
    this.toServer.length = 0
    this.toPage.length = 0
    SimulatedSocket.server.leave(this)
    this.onclose?.({ code })
  }
}

export class SimulatedServer {
  readonly opening: SimulatedSocket[] = []
  readonly open = new Map<SimulatedSocket, { edits: number; client: number | null }>()
  isUp = true
  /** On disk: the text, the state of its document, and how often it was saved. */
  kept: { text: string; state: Uint8Array; saves: number }
  private doc: Doc
  private awareness: Awareness
  private isDirty = false

  constructor(text: string) {
    const doc = new Doc()
    doc.getText('text').insert(0, text)
    this.kept = { text, state: encodeStateAsUpdate(doc), saves: 0 }
    this.doc = this.fromDisk()
    this.awareness = new Awareness(this.doc)
    this.awareness.setLocalState(null)
  }

  get revision(): string {
    return `r${this.kept.saves}`
  }

  /** Lets a page take part, or refuses it while the server is away. */
  accept(socket: SimulatedSocket): void {
    this.opening.splice(this.opening.indexOf(socket), 1)
    if (socket.readyState !== 0) return
    if (!this.isUp) {
      socket.close()
      return
    }
    socket.readyState = 1
    this.open.set(socket, { edits: 0, client: null })
    socket.toPage.push(inJson(100, { document: 'd', revision: this.revision, may_write: true }))
    socket.toPage.push(asking(encodeStateVector(this.doc)))
    const present = [...this.awareness.getStates().keys()]
    if (present.length > 0) socket.toPage.push(presence(encodeAwarenessUpdate(this.awareness, present)))
  }

  leave(socket: SimulatedSocket): void {
    const client = this.open.get(socket)?.client ?? null
    this.open.delete(socket)
    if (client === null || [...this.open.values()].some((other) => other.client === client)) return
    removeAwarenessStates(this.awareness, [client], 'left')
    this.tell(presence(encodeAwarenessUpdate(this.awareness, [client])))
  }

  /** Takes the next message of a page. */
  receive(socket: SimulatedSocket): void {
    const bytes = socket.toServer.shift()
    const participant = this.open.get(socket)
    const message = bytes && readMessage(bytes)
    if (!message || !participant) return
    if (message.kind === 'vector') {
      socket.toPage.push(answering(encodeStateAsUpdate(this.doc, message.content) as Bytes))
      socket.toPage.push(this.saved(this.isDirty ? 0 : participant.edits, !this.isDirty))
    } else if (message.kind === 'presence') {
      const before = new Set(this.awareness.getStates().keys())
      applyAwarenessUpdate(this.awareness, message.content, socket)
      participant.client ??= [...this.awareness.getStates().keys()].find((client) => !before.has(client)) ?? null
      this.tell(presence(message.content as Bytes))
    } else if (message.kind === 'update') {
      participant.edits += 1
      if (message.content.length === 2) {
        socket.toPage.push(this.saved(this.isDirty ? 0 : participant.edits, !this.isDirty))
        return
      }
      applyUpdate(this.doc, message.content)
      this.isDirty = true
      for (const other of this.open.keys()) if (other !== socket) other.toPage.push(edits(message.content as Bytes))
    }
  }

  /** Keeps the document with its text, and acknowledges what is in it. */
  save(): void {
    if (!this.isUp || !this.isDirty) return
    this.isDirty = false
    this.kept = {
      text: this.doc.getText('text').toString(),
      state: encodeStateAsUpdate(this.doc),
      saves: this.kept.saves + 1,
    }
    for (const [socket, participant] of this.open) socket.toPage.push(this.saved(participant.edits, true))
  }

  /** Ends it as `kill -9` does. */
  kill(): void {
    this.isUp = false
    for (const socket of [...this.open.keys()]) socket.close()
    this.awareness.destroy()
    this.doc = this.fromDisk()
    this.awareness = new Awareness(this.doc)
    this.awareness.setLocalState(null)
    this.isDirty = false
  }

  private fromDisk(): Doc {
    const doc = new Doc()
    applyUpdate(doc, this.kept.state)
    return doc
  }

  private saved(messages: number, isCurrent: boolean): Bytes {
    return inJson(101, { revision: this.revision, messages, is_current: isCurrent })
  }

  private tell(message: Bytes): void {
    for (const socket of this.open.keys()) socket.toPage.push(message)
  }
}

function inJson(kind: number, fields: object): Bytes {
  const encoder = createEncoder()
  writeVarUint(encoder, kind)
  writeVarString(encoder, JSON.stringify(fields))
  return toUint8Array(encoder) as Bytes
}
