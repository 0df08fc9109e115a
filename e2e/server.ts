// The real back end as a user starts it: the process `piql serve` with a temporary data folder. `halt` and `resume` stop
// it and start it again on the same data; `stop` ends it and deletes the data.
import { type ChildProcess, spawn } from 'node:child_process'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { patience } from './patience.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const PIQL = join(root, '.venv/bin/piql')
const PYTHON = join(root, '.venv/bin/python')
const WARM_SERVERS = join(root, 'tools/warm_servers.py')
const START_TIMEOUT_MS = 90_000 * patience
const END_TIMEOUT_MS = 10_000 * patience

/** A store URL such as `cql://127.0.0.1/journeys?timeout=30`, or unset for the embedded store. */
export const STORE = process.env['PIQL_E2E_STORE']

/** The variable with the data folder of `first-start.ts`. */
export const FIRST_START = 'PIQL_E2E_FIRST_START'

/** The variable with the socket of `tools/warm_servers.py`: servers are forks of a process that has imported everything. */
export const WARM = 'PIQL_E2E_WARM'

/** How many servers answer a journey that does not say it itself. */
export const SERVERS = Number(process.env['PIQL_E2E_SERVERS'] ?? 1)

/** The store of one server: it puts a prefix of its own before its tables, so that all can share one cluster. */
function storeOptions(): string[] {
  if (!STORE) return []
  const prefix = `e${Date.now().toString(36)}_`
  return ['--store', `${STORE}${STORE.includes('?') ? '&' : '?'}prefix=${prefix}`]
}

/** The signal that kills a server: what stands for a warm one passes it on. */
function killing(): NodeJS.Signals {
  return process.env[WARM] ? 'SIGUSR1' : 'SIGKILL'
}

/** Starts the process whose forks servers are; returns its socket, and what ends it. */
export async function warmServers(folder: string): Promise<[string, () => void]> {
  const socket = join(folder, 'warm')
  const started = spawn(PYTHON, [WARM_SERVERS, socket], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  await new Promise<void>((resolve, reject) => {
    started.stdout.once('data', () => resolve())
    started.once('exit', () => reject(new Error('no server can be forked')))
  })
  return [socket, () => started.kill('SIGKILL')]
}

export class WorkbenchServer {
  private process: ChildProcess | null = null
  private printed = ''
  private readonly store = storeOptions()

  protected constructor(
    readonly port: number,
    protected data: string,
    private readonly runner: 'local' | 'ray',
    private readonly isOfTeam: boolean,
    private readonly environment: Readonly<Record<string, string>>,
  ) {}

  /**
   * Starts one; with `addPeople`, which gets the command and the data folder, it serves the team of these, from its first
   * start on. The `environment` adds variables to its own. With two `servers` it is two of one team.
   */
  static async start(
    port: number,
    runner: 'local' | 'ray',
    addPeople?: (piql: string, data: string) => Promise<void>,
    environment: Readonly<Record<string, string>> = {},
    servers = SERVERS,
  ): Promise<WorkbenchServer> {
    if (servers === 2) return SeveralServers.startAll(port, addPeople, environment)
    const data = await mkdtemp(join(tmpdir(), 'piql-e2e-'))
    const server = new WorkbenchServer(port, data, runner, addPeople !== undefined, environment)
    const firstStart = process.env[FIRST_START]
    try {
      if (firstStart && !addPeople) await cp(firstStart, data, { recursive: true })
      await addPeople?.(PIQL, data)
      await server.resume()
    } catch (error) {
      await server.stop()
      throw error
    }
    return server
  }

  /** Lets a data folder have its first start, and no more. */
  static async startAndHalt(port: number, data: string): Promise<void> {
    const server = new WorkbenchServer(port, data, 'local', false, {})
    await server.resume()
    await server.halt()
  }

  /** What the process printed since it was started. */
  get output(): string {
    return this.printed
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /**
   * Starts the process on the same data and waits until it answers; does nothing while it runs. Throws if another
   * program has the port, and with what the process printed if it ends or stays silent.
   */
  async resume(): Promise<void> {
    if (this.process && this.process.exitCode === null) return
    await refuseTakenPort(this.port)
    this.printed = ''
    const options = ['serve', '--port', String(this.port), '--data', this.data, ...this.store]
    if (this.isOfTeam) options.push('--team')
    const socket = process.env[WARM]
    const [program, before] = socket ? [PYTHON, ['-S', WARM_SERVERS, socket]] : [PIQL, []]
    const started = spawn(program, [...before, ...options], {
      cwd: root,
      env: { ...process.env, ...this.environment, PROFILE_RUNNER: this.runner },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.process = started
    const listen = (chunk: Buffer) => (this.printed += chunk.toString())
    started.stdout.on('data', listen)
    started.stderr.on('data', listen)
    const deadline = Date.now() + START_TIMEOUT_MS
    while (Date.now() < deadline) {
      if (started.exitCode !== null) throw new Error(`the workbench ended at its start:\n${this.printed}`)
      const answer = await fetch(`${this.url}${this.isOfTeam ? '/api/session' : '/api/health'}`).catch(() => null)
      if (answer?.ok) return
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    throw new Error(`the workbench did not answer in time:\n${this.printed}`)
  }

  /** Ends the process as a service manager does, and keeps its data. */
  async halt(): Promise<void> {
    const running = this.process
    if (!running || running.exitCode !== null) return
    const ended = new Promise((resolve) => running.once('exit', resolve))
    running.kill('SIGTERM')
    const forcedEnd = setTimeout(() => running.kill(killing()), END_TIMEOUT_MS)
    await ended
    clearTimeout(forcedEnd)
    this.process = null
  }

  /** Ends the process as a crash does: nothing is saved first. */
  async kill(): Promise<void> {
    const running = this.process
    if (!running || running.exitCode !== null) return
    const ended = new Promise((resolve) => running.once('exit', resolve))
    running.kill(killing())
    await ended
    this.process = null
  }

  /** Starts `piql` with what comes before the address of SCADr's store in development, and what comes behind it. */
  piql(before: readonly string[], behind: readonly string[]): ChildProcess {
    const store = this.store[1] ?? `embedded:${join(this.data, 'environments/scadr/development/store')}`
    return spawn(PIQL, [...before, store, ...behind], { cwd: root, stdio: 'ignore' })
  }

  /** Of two servers, kills the one that has not the data folder. */
  killFollower(): Promise<void> {
    throw new Error('there is one server')
  }

  /** Ends the process and deletes its data. */
  async stop(): Promise<void> {
    await this.halt()
    await rm(this.data, { recursive: true, force: true })
  }
}

/**
 * Two servers of one team on one PostgreSQL, behind nginx and below `/piql` (`tools/several_servers`); addresses without
 * it lead there. Where the journey is that of somebody alone, the proxy signs everybody in as `ada`. `kill` kills the
 * server that has the data folder, and another one takes over; `killFollower` kills the one that has not. `halt` ends
 * both. `resume` starts again whatever does not run.
 */
class SeveralServers extends WorkbenchServer {
  private program: ChildProcess | null = null
  private text = ''
  private isWhole = true

  static async startAll(
    port: number,
    addPeople: ((piql: string, data: string) => Promise<void>) | undefined,
    environment: Readonly<Record<string, string>>,
  ): Promise<WorkbenchServer> {
    await refuseTakenPort(port)
    const servers = new SeveralServers(port, '', 'local', addPeople !== undefined, environment)
    const options = ['-m', 'several_servers.serve', '--port', String(port), ...(addPeople ? ['--wait'] : [])]
    const program = spawn(join(root, '.venv/bin/python'), options, {
      cwd: root,
      env: { ...process.env, ...environment, PYTHONPATH: 'tools' },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    servers.program = program
    program.stdout.on('data', (chunk: Buffer) => (servers.text += chunk.toString()))
    program.stderr.on('data', (chunk: Buffer) => (servers.text += chunk.toString()))
    if (addPeople) {
      const [, metadata = '', data = ''] = (await servers.until(/^people (\S+) (\S+)$/m)) ?? []
      process.env['METADATA'] = metadata // for `piql user`, which journeys start
      await addPeople(PIQL, data)
      program.stdin.write('added\n')
    }
    const [, data = ''] = (await servers.until(/^data (\S+)$/m)) ?? []
    servers.data = data
    await servers.until(/^ready$/m)
    return servers
  }

  override get output(): string {
    return this.text
  }

  override get url(): string {
    return `${super.url}/piql`
  }

  override async resume(): Promise<void> {
    if (!this.isWhole) await this.command('start')
    this.isWhole = true
  }

  override async kill(): Promise<void> {
    await this.end('kill')
  }

  override async killFollower(): Promise<void> {
    await this.end('kill follower')
  }

  override async halt(): Promise<void> {
    await this.end('end')
  }

  override async stop(): Promise<void> {
    const program = this.program
    if (!program || program.exitCode !== null) return
    const ended = new Promise((resolve) => program.once('exit', resolve))
    program.stdin?.end()
    await ended
    delete process.env['METADATA']
  }

  private async end(line: string): Promise<void> {
    this.isWhole = false
    await this.command(line)
  }

  private async command(line: string): Promise<void> {
    this.text = ''
    this.program?.stdin?.write(`${line}\n`)
    await this.until(/^done$/m)
  }

  private async until(printed: RegExp): Promise<RegExpExecArray | null> {
    const deadline = Date.now() + 2 * START_TIMEOUT_MS
    while (Date.now() < deadline) {
      const match = printed.exec(this.text)
      if (match) return match
      if (this.program?.exitCode !== null) break
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    throw new Error(`the servers did not answer in time:\n${this.text}`)
  }
}

/** Throws if another program listens at a port: its answers would pass for those of the server to be started. */
function refuseTakenPort(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE' ? new Error(`port ${port} is taken: set PIQL_E2E_PORT to another one`) : error,
      ),
    )
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve()))
  })
}
