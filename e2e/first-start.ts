// Makes, once for all journeys, a data folder that has had its first start: servers begin on copies of it, as the first
// start of one takes a third of what it takes to start it.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FIRST_START, SERVERS, STORE, WorkbenchServer } from './server.ts'

const PORT = Number(process.env['PIQL_E2E_PORT'] ?? 8431) + 9

export default async function makeFirstStart(): Promise<(() => Promise<void>) | undefined> {
  if (STORE || SERVERS === 2) return undefined // their samples are not in the data folder alone
  const data = await mkdtemp(join(tmpdir(), 'piql-e2e-first-'))
  await WorkbenchServer.startAndHalt(PORT, data)
  process.env[FIRST_START] = data
  return () => rm(data, { recursive: true, force: true })
}
