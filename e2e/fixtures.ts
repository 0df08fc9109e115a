// What every journey starts from: the real back end, the files of SCADr as they were first, and the models of `pages/`.
// A journey fails if the page throws an error that nobody handles or violates its Content Security Policy.
import { test as base, expect } from '@playwright/test'
import { Api, type ApplicationFile } from './api.ts'
import { keepNotices, Workbench } from './pages/Workbench.ts'
import { patience } from './patience.ts'
import { WorkbenchServer } from './server.ts'

const FIRST_PORT = Number(process.env['PIQL_E2E_PORT'] ?? 8431)

/** Made anew for each test. */
interface TestFixtures {
  workbench: Workbench
  api: Api
  scadr: void
}

/** Made once for each worker process of Playwright; a worker has a back end of its own, on a port of its own. */
interface WorkerFixtures {
  /** What runs the measurements of profile runs. Ray is what users have, but it starts slowly. */
  runner: 'local' | 'ray'
  server: WorkbenchServer
  /** The files of SCADr before the first test. */
  originals: readonly ApplicationFile[]
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  runner: ['local', { option: true, scope: 'worker' }],
  server: [
    async ({ runner }, use, info) => {
      const server = await WorkbenchServer.start(FIRST_PORT + info.parallelIndex, runner)
      await use(server)
      await server.stop()
    },
    { scope: 'worker', timeout: 120_000 * patience },
  ],
  originals: [async ({ server }, use) => use(await new Api(server.url).files()), { scope: 'worker' }],
  baseURL: async ({ server }, use) => use(server.url),
  api: async ({ server }, use) => use(new Api(server.url)),
  /** Runs around every test: restores the files first, and attaches the server's output to a failure. */
  scadr: [
    async ({ server, originals }, use, info) => {
      await server.resume()
      await new Api(server.url).restoreFiles(originals)
      await use()
      if (info.status !== info.expectedStatus) await info.attach('server', { body: server.output })
    },
    { auto: true },
  ],
  workbench: async ({ page }, use, info) => {
    const faults: Error[] = []
    page.on('pageerror', (error) => faults.push(error))
    page.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) faults.push(new Error(message.text()))
    })
    await page.addInitScript(keepNotices)
    const workbench = new Workbench(page)
    await use(workbench)
    if (info.status === info.expectedStatus) await workbench.finishSaving()
    expect(faults, 'errors that the page did not handle').toEqual([])
  },
})

export { expect }
