// Counts what a page loads, in bytes on the wire.
import type { Page } from '@playwright/test'

// Behind a proxy, a prefix stands before it.
const OF_API = /^(\/[^/]+)?\/api\//

/** Counts from now on, without answers of the API, which depend on the data. */
export async function weigh(page: Page): Promise<{ bytes: () => number }> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  const addresses = new Map<string, string>()
  let bytes = 0
  session.on('Network.requestWillBeSent', ({ requestId, request }) => addresses.set(requestId, request.url))
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const address = addresses.get(requestId)
    if (address?.startsWith('http') && !OF_API.test(new URL(address).pathname)) bytes += encodedDataLength
  })
  return { bytes: () => bytes }
}
