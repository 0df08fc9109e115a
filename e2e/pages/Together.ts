import type { BrowserContext, Locator, Page, WebSocketRoute } from '@playwright/test'

/** Who edits a file together, as the editor's bar and text show it, and the socket by which they do. */
export class Together {
  readonly people: Locator
  /** The carets of others, and the names at them. */
  readonly carets: Locator
  readonly names: Locator
  private isCutOff = false
  private readonly sockets = new Set<WebSocketRoute>()
  /** The messages with the text of the session that the page has not got; null while they are passed on. */
  private held: (() => void)[] | null = null

  constructor(private readonly page: Page) {
    const region = page.getByRole('region', { name: 'Editor', exact: true })
    this.people = region.getByRole('list', { name: 'People here' }).getByRole('button')
    this.carets = region.locator('.piql-caret')
    this.names = region.locator('.piql-caret-name')
  }

  note(text: string): Locator {
    return this.page.getByRole('region', { name: 'Editor', exact: true }).getByText(text, { exact: true })
  }

  /** Must be called before the page is opened: from then on `cutOff` and `comeBack` are possible. */
  async watchSockets(): Promise<void> {
    await this.page.routeWebSocket(/\/live\//, (socket) => {
      if (this.isCutOff) {
        void socket.close()
        return
      }
      this.sockets.add(socket)
      const server = socket.connectToServer()
      server.onMessage((message) => {
        const deliver = () => socket.send(message)
        if (this.held && hasText(message)) this.held.push(deliver)
        else deliver()
      })
      socket.onClose(() => {
        this.sockets.delete(socket)
        void server.close()
      })
    })
  }

  /** From now on the page knows who is there, and does not get the text of the session. */
  holdText(): void {
    this.held = []
  }

  get isTextHeld(): boolean {
    return this.held !== null && this.held.length > 0
  }

  deliverText(): void {
    for (const deliver of this.held ?? []) deliver()
    this.held = null
  }

  /** Takes the page off the network. */
  async cutOff(): Promise<void> {
    this.isCutOff = true
    await this.page.context().setOffline(true)
    for (const socket of this.sockets) void socket.close()
    this.sockets.clear()
  }

  async comeBack(): Promise<void> {
    this.isCutOff = false
    await this.page.context().setOffline(false)
  }
}

/** Whether a message of the server has all that the page lacks of the text (frontend/src/live/messages.ts). */
const hasText = (message: string | Buffer) => typeof message !== 'string' && message[0] === 0 && message[1] === 1

/** Lets all pages of somebody edit together where nobody signs in. */
export async function takePart(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => localStorage.setItem('piql:edit-together', 'on'))
}

/** Lets all pages of somebody edit by themselves where people sign in, unless they choose otherwise. */
export async function editAlone(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const choice = 'piql:edit-together'
    if (location.origin === 'null') return // an empty page has no storage
    if (localStorage.getItem(choice) === null) localStorage.setItem(choice, 'off')
  })
}

/** Lets pages have no live session, as behind a proxy that knows no sockets. */
export async function refuseSockets(page: BrowserContext | Page): Promise<void> {
  await page.routeWebSocket(/\/live\//, (socket) => void socket.close())
}
