// The real back end as a user starts it: a process of its own, with a data folder of its own, that can be stopped and
// started again.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { patience } from './patience.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const START_TIMEOUT_MS = 90_000 * patience
const END_TIMEOUT_MS = 10_000 * patience

/** `cql://127.0.0.1/journeys?timeout=30`: each server keeps its tables there under a prefix of its own. */
const STORE = process.env['PIQL_E2E_STORE']
const STORE_OPTIONS = STORE
  ? ['--store', `${STORE}${STORE.includes('?') ? '&' : '?'}prefix=e${Date.now().toString(36)}_`]
  : []

export class WorkbenchServer {
  private process: ChildProcess | null = null
  private said = ''

  private constructor(
    readonly port: number,
    private readonly data: string,
    private readonly runner: 'local' | 'ray',
  ) {}

  static async start(port: number, runner: 'local' | 'ray'): Promise<WorkbenchServer> {
    const server = new WorkbenchServer(port, await mkdtemp(join(tmpdir(), 'piql-e2e-')), runner)
    await server.resume()
    return server
  }

  /** What the process printed since it was started. */
  get output(): string {
    return this.said
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** Starts the process on the same data and waits until it answers. */
  async resume(): Promise<void> {
    if (this.process && this.process.exitCode === null) return
    this.said = ''
    const options = ['serve', '--port', String(this.port), '--data', this.data, ...STORE_OPTIONS]
    const started = spawn(join(root, '.venv/bin/piql'), options, {
      cwd: root,
      env: { ...process.env, PROFILE_RUNNER: this.runner },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.process = started
    const listen = (chunk: Buffer) => (this.said += chunk.toString())
    started.stdout.on('data', listen)
    started.stderr.on('data', listen)
    const deadline = Date.now() + START_TIMEOUT_MS
    while (Date.now() < deadline) {
      if (started.exitCode !== null) throw new Error(`the workbench ended at its start:\n${this.said}`)
      const answer = await fetch(`${this.url}/api/health`).catch(() => null)
      if (answer?.ok) return
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    throw new Error(`the workbench did not answer in time:\n${this.said}`)
  }

  /** Ends the process as a service manager does, and keeps its data. */
  async halt(): Promise<void> {
    const running = this.process
    if (!running || running.exitCode !== null) return
    const ended = new Promise((resolve) => running.once('exit', resolve))
    running.kill('SIGTERM')
    const late = setTimeout(() => running.kill('SIGKILL'), END_TIMEOUT_MS)
    await ended
    clearTimeout(late)
    this.process = null
  }

  async stop(): Promise<void> {
    await this.halt()
    await rm(this.data, { recursive: true, force: true })
  }
}
