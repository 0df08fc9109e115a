// What every journey starts from: a real back end of its file, the files of SCADr as they were first, and the models of
// `pages/`.
// A journey fails if the page throws an error that nobody handles or violates its Content Security Policy.
import { test as base, expect } from '@playwright/test'
import { Api, type ApplicationFile } from './api.ts'
import { editAlone } from './pages/Together.ts'
import { keepNotices, Workbench } from './pages/Workbench.ts'
import { patience } from './patience.ts'
import { SERVERS, WorkbenchServer } from './server.ts'

const FIRST_PORT = Number(process.env['PIQL_E2E_PORT'] ?? 8431)

/** Made anew for each test. */
interface TestFixtures {
  /** Who is signed in: somebody where two servers answer, else nobody. */
  person: string | null
  /** The back end of the test's file. */
  server: WorkbenchServer
  /** The files of SCADr before the first test. */
  originals: readonly ApplicationFile[]
  workbench: Workbench
  api: Api
  scadr: void
}

/** Made once for each worker process of Playwright. */
interface WorkerFixtures {
  /** What runs the measurements of profile runs. Ray is what users have, but it starts slowly. */
  runner: 'local' | 'ray'
  /** How many servers answer: with 2, one of them may be killed while the other one goes on. */
  servers: number
  /** Gives the back end of a file of tests. */
  serverOf: (file: string) => Promise<FileServer>
}

interface FileServer {
  file: string
  server: WorkbenchServer
  originals: readonly ApplicationFile[]
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  runner: ['local', { option: true, scope: 'worker' }],
  servers: [SERVERS, { option: true, scope: 'worker' }],
  // Each file has a back end and data of its own: what a test finds must not depend on which files its worker ran before.
  serverOf: [
    async ({ runner, servers }, use, info) => {
      let current: FileServer | null = null
      await use(async (file) => {
        if (current?.file === file) return current
        await current?.server.stop()
        const server = await WorkbenchServer.start(FIRST_PORT + info.parallelIndex, runner, undefined, {}, servers)
        current = { file, server, originals: await new Api(server.url).files() }
        return current
      })
      await (current as FileServer | null)?.server.stop()
    },
    { scope: 'worker', timeout: 120_000 * patience },
  ],
  server: async ({ serverOf }, use, info) => use((await serverOf(info.file)).server),
  originals: async ({ serverOf }, use, info) => use((await serverOf(info.file)).originals),
  person: async ({ servers }, use) => use(servers === 2 ? 'ada' : null),
  // Most journeys are those of somebody alone. Where two servers answer, people sign in, and would edit together.
  context: async ({ context }, use) => {
    await editAlone(context)
    await use(context)
  },
  baseURL: async ({ server }, use) => use(server.url),
  api: async ({ server }, use) => use(new Api(server.url)),
  /**
   * Runs around every test: restores the files first, attaches the server's output to a failure, and closes all pages. One
   * that stayed would go on asking its server, and take the focus from the pages of later tests.
   */
  scadr: [
    async ({ browser, server, originals }, use, info) => {
      await server.resume()
      await new Api(server.url).restoreFiles(originals)
      await use()
      if (info.status !== info.expectedStatus) await info.attach('server', { body: server.output })
      await Promise.all(browser.contexts().map((context) => context.close()))
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
