// A query that burns its budget is told to a webhook over the wire; the page of alerts says so, a silence covers it, and
// a test message reaches the same receiver.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from '@playwright/test'
import { expectNoObjections } from '../axe.ts'
import { expect, test } from '../fixtures.ts'
import { Dashboard } from '../pages/Dashboard.ts'
import { patience } from '../patience.ts'
import { look, looks, picture } from '../pictures.ts'
import { WorkbenchServer } from '../server.ts'

const FIRST_PORT = Number(process.env['PIQL_E2E_PORT'] ?? 8431) + 70
const ALERTS = '/applications/scadr/development/alerts'

interface Told {
  kind: string
  query: string
  state: string
}

test.describe.configure({ timeout: 400_000 * patience })

test('what burns its budget is told and seen, silenced, and the receiver is tested', async ({ browser }, info) => {
  const receiver = await Receiver.start()
  try {
    const environment = { ALERT_WEBHOOK: `${receiver.url}/hook`, ALERT_HOSTS: '127.0.0.1' }
    const server = await WorkbenchServer.start(FIRST_PORT + info.parallelIndex, 'local', undefined, environment)
    try {
      await story(await (await browser.newContext({ baseURL: server.url })).newPage(), receiver)
    } finally {
      await server.stop()
    }
  } finally {
    receiver.stop()
  }
})

test('without a receiver the page says that nothing is watched, and how to set one', async ({ page }) => {
  await page.goto(ALERTS)
  await expect(page.getByRole('status').filter({ hasText: 'Nothing is watched' })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Receivers' })).toContainText('ALERT_WEBHOOK')
  await expectNoObjections(page, 'alerts without a receiver')
})

async function story(page: Page, receiver: Receiver): Promise<void> {
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto(ALERTS)
  await expect(page.getByText('Nothing is wrong.')).toBeVisible()

  await page.getByRole('button', { name: 'Send a test message' }).click()
  await expect(page.getByRole('status', { name: 'Test message' })).toContainText('took the test message')
  expect(receiver.told.map(({ kind }) => kind)).toEqual(['test'])

  await page.goto('/applications/scadr/development/dashboard?query=findUser')
  const dashboard = new Dashboard(page)
  await dashboard.promise({ percent: 99, milliseconds: 0.0001, seconds: 600 })
  await dashboard.runBurst(300)
  await expect(dashboard.query('findUser')).toContainText('burning its budget', { timeout: 120_000 * patience })

  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Alerts' }).click()
  const firing = page.getByRole('list', { name: 'Wrong now' }).getByRole('listitem').filter({ hasText: 'findUser' })
  await expect(firing).toContainText('burning its budget', { timeout: 150_000 * patience })
  await expect(firing).toContainText('told by webhook')
  await expect(page.getByText('1 thing has been wrong for')).toBeVisible()
  expect(receiver.told.slice(1)).toMatchObject([{ kind: 'burning', query: 'findUser', state: 'firing' }])
  await expectNoObjections(page, 'something is wrong')
  await looks(page, 'alerts', 'History')
  await picture(page, 'alerts')

  await firing.getByRole('button', { name: 'Silence: burning its budget, findUser' }).click()
  const dialog = page.getByRole('dialog', { name: 'New silence' })
  await expect(dialog.getByRole('button', { name: 'Silence' })).toBeDisabled()
  await dialog.getByLabel('Reason').fill('a load test')
  await expectNoObjections(page, 'a new silence', 'dialog')
  await look(page, 'alerts-silence')
  await dialog.getByRole('button', { name: 'Silence' }).click()
  const silences = page.getByRole('table', { name: 'Silences' })
  await expect(silences).toContainText('a load test')
  await expect(silences).toContainText('burning its budget, findUser')
  await expectNoObjections(page, 'a silence')
  await expect(firing).toContainText(/Silenced until .*: a load test\./)
  await looks(page, 'alerts-silenced', 'History')
  await silences.getByRole('button', { name: 'End the silence: burning its budget, findUser' }).click()
  await expect(page.getByText('None: whatever is wrong is sent.')).toBeVisible()
  await expect(page.getByRole('table', { name: 'History of alerts' })).toContainText('findUser: over the last 1 h')

  receiver.status = 503
  await page.getByRole('button', { name: 'Send a test message' }).click()
  await expect(page.getByRole('status', { name: 'Test message' })).toContainText('answers 503')
  await firing.getByRole('link', { name: 'See findUser in the dashboard' }).click()
  await expect(dashboard.detail('findUser')).toBeVisible()
}

/** A webhook over the wire: it remembers what it was told, and answers `status`. */
class Receiver {
  readonly told: Told[] = []
  status = 200

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Receiver> {
    const server = createServer((request, response) => {
      let body = ''
      request.on('data', (chunk: Buffer) => (body += chunk.toString()))
      request.on('end', () => {
        receiver.told.push(JSON.parse(body) as Told)
        response.writeHead(receiver.status).end()
      })
    })
    const receiver = new Receiver(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return receiver
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  stop(): void {
    this.server.close()
    this.server.closeAllConnections()
  }
}
