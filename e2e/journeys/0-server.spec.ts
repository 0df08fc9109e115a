// The journeys' own server: it must not take another program's answers for those of the workbench that it starts.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from '@playwright/test'
import { WorkbenchServer } from '../server.ts'

test('a server whose port another program answers at is refused at once, and nothing is started', async () => {
  const stranger = createServer((_, answer) => answer.end('{"status": "ok"}'))
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve))
  const { port } = stranger.address() as AddressInfo
  try {
    await expect(WorkbenchServer.start(port, 'local')).rejects.toThrow(`port ${port} is taken`)
  } finally {
    stranger.close()
  }
})
