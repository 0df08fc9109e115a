/** A socket to the live session of a file, opened again after each end until it is closed here. */
import { type Received, readMessage } from './messages'

const FIRST_PAUSE_MS = 400
const LONGEST_PAUSE_MS = 5000
/** After so many attempts in vain, whoever has the socket is told each time. */
const ATTEMPTS = 3
/** A socket that has said nothing for so long, or for so long after something was sent, is asked for an answer. */
const SILENT_MS = 15_000
const UNANSWERED_MS = 5000
/** One that hangs: it has not opened, or not answered, within this time. It would end by itself after minutes. */
const HANGS_MS = 10_000
/** The server closes with this plus a status of HTTP. */
const STATUS = 4000

interface Listener {
  onMessage(message: Received): void
  /** Nothing was heard for a while: something is to be sent that the server answers at once. */
  onSilence(): void
  /** The socket has ended; it is opened again. */
  onEnd(): void
  /** It could not be opened several times in a row; the last attempt began at this time of the page's clock. */
  onFailedAgain(beganAt: number): void
  /** The server has ended it with a status of HTTP. */
  onStatus(status: number): void
}

export class Connection {
  private socket: WebSocket | null = null
  private timer: ReturnType<typeof setTimeout> | undefined
  private silence: ReturnType<typeof setTimeout> | undefined
  /** Whether something was sent since the socket was last heard. */
  private isWaiting = false
  private failures = 0
  private isClosed = false
  private readonly onOnline = () => this.openSoon(0)
  /** A socket without a network says nothing for long; a server on this machine is reached again at once. */
  private readonly onOffline = () => this.socket?.close()

  constructor(
    private readonly url: string,
    private readonly listener: Listener,
  ) {
    window.addEventListener('online', this.onOnline)
    window.addEventListener('offline', this.onOffline)
    this.open()
  }

  get isOpen(): boolean {
    return this.socket?.readyState === WebSocket.OPEN
  }

  /** Sends a message; false if there is nobody to take it. */
  send(message: Uint8Array<ArrayBuffer>): boolean {
    if (!this.socket || !this.isOpen) return false
    this.socket.send(message)
    if (!this.isWaiting) {
      this.isWaiting = true
      this.after(UNANSWERED_MS, () => this.ask())
    }
    return true
  }

  close(): void {
    this.isClosed = true
    clearTimeout(this.timer)
    clearTimeout(this.silence)
    window.removeEventListener('online', this.onOnline)
    window.removeEventListener('offline', this.onOffline)
    this.socket?.close()
  }

  private open(): void {
    if (this.isClosed || this.socket) return
    const beganAt = performance.now()
    const socket = new WebSocket(this.url)
    this.socket = socket
    socket.binaryType = 'arraybuffer'
    this.isWaiting = true
    this.after(HANGS_MS, () => this.giveUp(socket, beganAt))
    socket.onmessage = ({ data }: MessageEvent<unknown>) => {
      const message = data instanceof ArrayBuffer ? readMessage(new Uint8Array(data)) : null
      if (!message || this.isClosed) return
      this.failures = 0
      this.isWaiting = false
      this.after(SILENT_MS, () => this.ask())
      this.listener.onMessage(message)
    }
    socket.onclose = ({ code }) => this.onClose(code, beganAt)
  }

  private onClose(code: number | null, beganAt: number): void {
    this.socket = null
    clearTimeout(this.silence)
    if (this.isClosed) return
    this.failures += 1
    this.listener.onEnd()
    if (code !== null && code > STATUS) this.listener.onStatus(code - STATUS)
    else if (this.failures > ATTEMPTS) this.listener.onFailedAgain(beganAt)
    this.openSoon(Math.min(FIRST_PAUSE_MS * 2 ** (this.failures - 1), LONGEST_PAUSE_MS))
  }

  private after(pauseMs: number, next: () => void): void {
    clearTimeout(this.silence)
    this.silence = setTimeout(next, pauseMs)
  }

  private ask(): void {
    const { socket } = this
    if (!socket) return
    const beganAt = performance.now()
    this.isWaiting = true
    this.listener.onSilence()
    this.after(HANGS_MS, () => this.giveUp(socket, beganAt))
  }

  /** Ends a socket that hangs, without waiting for the other side to agree. */
  private giveUp(socket: WebSocket, beganAt: number): void {
    socket.onmessage = null
    socket.onclose = null
    socket.close()
    this.onClose(null, beganAt)
  }

  private openSoon(pauseMs: number): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => this.open(), pauseMs)
  }
}
