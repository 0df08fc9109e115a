import type { Page } from '@playwright/test'

/** Through which of several servers the socket of a page goes, as the proxy says when the socket is opened. */
export class Passage {
  /** The server of each socket that was opened, in their order. */
  readonly servers: string[] = []

  /** Must be called before the page is opened. */
  async watch(page: Page): Promise<void> {
    const session = await page.context().newCDPSession(page)
    session.on('Network.webSocketHandshakeResponseReceived', ({ response }) => {
      const header = Object.entries(response.headers).find(([name]) => name.toLowerCase() === 'x-upstream')
      const server = header?.[1].split(', ').at(-1) // it names also those that did not answer
      if (response.status === 101 && server) this.servers.push(server)
    })
    await session.send('Network.enable')
  }
}
