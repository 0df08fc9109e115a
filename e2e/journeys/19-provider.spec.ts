// A team whose people sign in at an OpenID provider: the button, the provider's own page, and back to the page that was
// asked for; somebody whom the provider knows and the workbench does not; and signing out.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Page } from '@playwright/test'
import { expectNoObjections } from '../axe.ts'
import { expect, test } from '../fixtures.ts'
import { look } from '../pictures.ts'
import { WorkbenchServer } from '../server.ts'

const ADA = 'ada@example.org'
const FIRST_PORT = Number(process.env['PIQL_E2E_PORT'] ?? 8431) + 60
const MOCK = fileURLToPath(new URL('../../.venv/bin/oidc-provider-mock', import.meta.url))

test('a person signs in at the provider of the team, and a stranger is told why not', async ({ browser }, info) => {
  const provider = await startProvider()
  const environment = {
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: 'workbench',
    OIDC_CLIENT_SECRET: 'of-this-test',
    OIDC_LABEL: 'Example',
  }
  try {
    const server = await WorkbenchServer.start(FIRST_PORT + info.parallelIndex, 'local', addAda, environment)
    try {
      await story(await (await browser.newContext({ baseURL: server.url })).newPage())
    } finally {
      await server.stop()
    }
  } finally {
    provider.process.kill()
  }
})

async function story(page: Page): Promise<void> {
  await page.route(/jsdelivr/, (route) => route.abort()) // the provider's page wants a style from elsewhere
  await page.goto('/record?day=2026-01-01')
  await expect(page.getByRole('button', { name: 'Sign in with Example' })).toBeVisible()
  await look(page, 'sign-in')
  await expectNoObjections(page, 'the ways to sign in')

  await signInAs(page, 'stranger')
  await expect(page.getByRole('alert')).toContainText('Example does not say that your e-mail address is confirmed.')
  await look(page, 'sign-in-refused')

  await signInAs(page, 'a1')
  await expect(page.getByRole('heading', { name: 'Record', exact: true })).toBeVisible()
  await page.getByRole('button', { name: `Account of ${ADA}` }).click()
  await expect(page.getByText('You stay signed in at the provider')).toBeVisible()
  await look(page, 'account-menu')
  await page.getByRole('link', { name: 'Your account' }).click()
  const sessions = page.getByRole('table', { name: 'Sessions' })
  await expect(sessions).toContainText('Chrome on Linux')
  await expect(sessions).toContainText('Example')
  await expect(page.getByRole('heading', { name: 'Password' })).toBeHidden()
  await look(page, 'account-of-provider')
  await page.getByRole('button', { name: `Account of ${ADA}` }).click()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await expect(page.getByRole('button', { name: 'Sign in with Example' })).toBeVisible()
}

async function signInAs(page: Page, subject: string): Promise<void> {
  await page.getByRole('button', { name: 'Sign in with Example' }).click()
  await page.getByPlaceholder('sub').fill(subject)
  await page.getByRole('button', { name: 'Authorize' }).click()
}

/** Adds the first administrator of a data folder, who has no password. */
async function addAda(piql: string, data: string): Promise<void> {
  const options = ['user', 'add', ADA, '--role', 'administrator', '--without-password', '--data', data]
  const [code] = await once(spawn(piql, options, { stdio: 'ignore' }), 'exit')
  expect(code).toBe(0)
}

/** Starts a provider that knows Ada, and waits until it listens. */
async function startProvider(): Promise<{ process: ChildProcess; issuer: string }> {
  const port = await freePort()
  const claims = JSON.stringify({ sub: 'a1', email: ADA, email_verified: true })
  const started = spawn(MOCK, ['--port', String(port), '--user-claims', claims], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let printed = ''
  await new Promise<void>((resolve, reject) => {
    started.stderr?.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
      if (printed.includes('running on')) resolve()
    })
    started.once('exit', () => reject(new Error(`the provider ended at its start:\n${printed}`)))
  })
  return { process: started, issuer: `http://127.0.0.1:${port}` }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
