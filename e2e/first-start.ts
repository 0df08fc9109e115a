// Makes, once for all journeys, what their servers start from: a process that has imported the workbench, whose forks they
// are, and a data folder that has had its first start, of which they get copies. To import takes three quarters of the
// processor time of a start, the first start of a folder a third of what is left.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FIRST_START, SERVERS, STORE, WARM, WorkbenchServer, warmServers } from './server.ts'

const PORT = Number(process.env['PIQL_E2E_PORT'] ?? 8431) + 9

export default async function makeFirstStart(): Promise<(() => Promise<void>) | undefined> {
  if (SERVERS === 2) return undefined // they are started by a program of their own
  const folder = await mkdtemp(join(tmpdir(), 'piql-e2e-first-'))
  const [socket, end] = await warmServers(folder)
  process.env[WARM] = socket
  if (!STORE) {
    // else its samples would not be in the data folder alone
    const data = join(folder, 'data')
    await WorkbenchServer.startAndHalt(PORT, data)
    process.env[FIRST_START] = data
  }
  return async () => {
    end()
    await rm(folder, { recursive: true, force: true })
  }
}
