/**
 * Messages of the server, several at a time while others type fast: each change of the text here is drawn, compiled and
 * drawn again, and nobody sees more of them than this.
 *
 *     rest ──message──▶ open: what belongs to it comes at once after it ──▶ closed: what comes waits ──▶ all of it, and closed
 *                       again; or rest where nothing came
 */

/** An edit is followed by where its caret is now. */
const OPEN_MS = 8
const CLOSED_MS = 60

export class Incoming<Message> {
  private state: 'rest' | 'open' | 'closed' = 'rest'
  private waiting: Message[] = []
  private timer: ReturnType<typeof setTimeout> | undefined

  /** `take` gets messages in their order, `mayWait` tells which of them need not be taken at once. */
  constructor(
    private readonly mayWait: (message: Message) => boolean,
    private readonly take: (messages: readonly Message[]) => void,
  ) {}

  receive(message: Message): void {
    if (this.mayWait(message)) {
      this.waiting.push(message)
      if (this.state === 'rest') this.open()
      if (this.state === 'open') this.flush()
    } else {
      this.flush()
      this.take([message])
    }
  }

  /** Takes what waits. */
  flush(): void {
    const due = this.waiting
    this.waiting = []
    if (due.length > 0) this.take(due)
  }

  /** Forgets what waits. */
  stop(): void {
    clearTimeout(this.timer)
    this.waiting = []
    this.state = 'rest'
  }

  private open(): void {
    this.state = 'open'
    this.timer = setTimeout(() => this.close(), OPEN_MS)
  }

  private close(): void {
    this.state = 'closed'
    this.timer = setTimeout(() => {
      if (this.waiting.length === 0) this.state = 'rest'
      else this.close()
      this.flush()
    }, CLOSED_MS)
  }
}
