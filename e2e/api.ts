// Prepares what a journey needs by requests to the back end, without the browser: files of SCADr, profile runs,
// executions and deployments. Every method throws an error with the status and body of an answer that is not a success.
import { expect, test } from '@playwright/test'
import { patience } from './patience.ts'

/** The environment that every journey works in. */
const DEVELOPMENT = '/api/applications/scadr/environments/development'

/** The smallest profile run that gives predictions. */
const PROFILE = { label: 'measured before', grid: 'small', interval_seconds: 2, intervals: 1, store_url: null }
const ACTIVE_STATES = ['queued', 'starting', 'running']
/** A run that reports no progress for this long is taken to hang. */
const STOPPED_MS = 90_000 * patience

/** 120 users, more than the 100 that one user may follow. All of them exist even if only 150 sample users are loaded. */
const SOME_USERS = ['bell', 'birch', 'brook'].flatMap((last) =>
  `ada alan anna barbara bjarne carol dana dennis edgar edsger erna frances george grace hedy ivan jean john juris kay ken kurt
  leslie lynn margaret mary niklaus noor peter radia robin ruth sophie stephen susan tim tony vera wanda yuri`
    .split(/\s+/)
    .map((first) => `${first}_${last}`),
)

export interface ApplicationFile {
  path: string
  text: string
  revision: string
}

interface ProfileRun {
  id: string
  label: string | null
  state: string
  progress: number
  points_done: number
  message: string | null
}

/** A client of the back end at `url`. */
export class Api {
  constructor(private readonly url: string) {}

  /** The files of SCADr as they are saved now. */
  async files(): Promise<ApplicationFile[]> {
    const application = (await this.get('/api/applications/scadr')) as { files: ApplicationFile[] }
    return application.files
  }

  /** Gives every original file its text back, creates those that are missing, and deletes all others. */
  async restoreFiles(originals: readonly ApplicationFile[]): Promise<void> {
    const texts = new Map(originals.map((file) => [file.path, file.text]))
    const present = await this.files()
    for (const { path, text } of originals) {
      if (!present.some((file) => file.path === path))
        await this.send('POST', '/api/applications/scadr/files', { path, text })
    }
    for (const { path, text, revision } of present) {
      const original = texts.get(path)
      const address = `/api/applications/scadr/files/${path}`
      if (original === undefined) await this.send('DELETE', `${address}?base_revision=${revision}`)
      else if (original !== text) await this.send('PUT', address, { text: original, base_revision: revision })
    }
  }

  /** Changes a file as another window would. */
  async write(path: string, change: (text: string) => string): Promise<void> {
    const file = (await this.files()).find((candidate) => candidate.path === path)
    if (!file) throw new Error(`there is no ${path}`)
    await this.send('PUT', `/api/applications/scadr/files/${path}`, {
      text: change(file.text),
      base_revision: file.revision,
    })
  }

  /** Creates a file as another window would. */
  async create(path: string, text: string): Promise<void> {
    await this.send('POST', '/api/applications/scadr/files', { path, text })
  }

  /** Deletes a file as another window would. */
  async remove(path: string): Promise<void> {
    const file = (await this.files()).find((candidate) => candidate.path === path)
    if (!file) throw new Error(`there is no ${path}`)
    await this.send('DELETE', `/api/applications/scadr/files/${path}?base_revision=${file.revision}`)
  }

  /** The label of a profile run that has measured to the end; there may be one from an earlier journey. */
  async measuredRun(): Promise<string> {
    const finished = (await this.runs()).find((run) => run.state === 'done' && run.label)
    if (finished?.label) return finished.label
    const { id } = (await this.send('POST', `${DEVELOPMENT}/profile-runs`, PROFILE)) as ProfileRun
    await this.measureToTheEnd(id)
    return PROFILE.label
  }

  /** Waits until the run is done, and adds the time of waiting to the timeout of the test. */
  private async measureToTheEnd(id: string): Promise<void> {
    const info = test.info()
    const timeout = info.timeout
    const began = Date.now()
    info.setTimeout(0)
    let last = { progress: '', at: began }
    for (;;) {
      const run = (await this.runs()).find((candidate) => candidate.id === id)
      if (run?.state === 'done') break
      if (!run || !ACTIVE_STATES.includes(run.state))
        throw new Error(`the profile run is ${run?.state ?? 'gone'}: ${run?.message ?? ''}`)
      const progress = `${run.state}, ${run.points_done} points, ${run.progress}`
      if (progress !== last.progress) last = { progress, at: Date.now() }
      if (Date.now() - last.at > STOPPED_MS) throw new Error(`the profile run has come to a stop: ${progress}`)
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    info.setTimeout(timeout + Date.now() - began)
  }

  /** Executes a query of the live version; the answer is the body of the API's `ExecutionRead`. */
  async execute(query: string, parameters: Readonly<Record<string, unknown>>): Promise<unknown> {
    return this.send('POST', `${DEVELOPMENT}/deployments/live/queries/${query}/executions`, {
      parameters,
      cursor: null,
    })
  }

  /** Adds subscriptions until `owner` follows `count` users. */
  async followUntil(owner: string, count: number): Promise<void> {
    const followed = async () => {
      const { rows } = (await this.execute('usersFollowedBy', { me: owner })) as { rows: string[][] }
      return new Set(rows.map(([username]) => username))
    }
    const present = await followed()
    for (const target of SOME_USERS) {
      if (present.size >= count) break
      if (target === owner || present.has(target)) continue
      await this.execute('subscribe', { owner, target })
      present.add(target)
    }
    expect((await followed()).size).toBe(count)
  }

  /** Deploys the application as it is saved. */
  async deploy(): Promise<void> {
    await this.send('POST', `${DEVELOPMENT}/deployments`, { base_version: await this.liveVersion() })
  }

  /** The same with the predictions of the newest profile run that is done. */
  async deployPredicted(): Promise<void> {
    const run = (await this.runs()).find(({ state }) => state === 'done')
    await this.send('POST', `${DEVELOPMENT}/deployments`, { base_version: await this.liveVersion(), run_id: run?.id })
  }

  /** Starts a deployment with one more query; its back-fill writes only so many rows a second, so it can be watched. */
  async buildSlowly(query: string, rowsPerSecond: number): Promise<void> {
    const files = (await this.files()).map(({ path, text }) => ({ path, text }))
    files.push({ path: 'queries/slow.piql', text: query })
    const base_version = await this.liveVersion()
    await this.send('POST', `${DEVELOPMENT}/deployments/builds`, {
      files,
      base_version,
      rows_per_second: rowsPerSecond,
    })
  }

  /** Gives each of these queries the same SLO. */
  async promise(queries: readonly string[], slo: object): Promise<void> {
    for (const query of queries) await this.send('PUT', `${DEVELOPMENT}/slos/${query}`, slo)
  }

  /** Sends a shipment of reports, as an application does. */
  async report(shipment: unknown): Promise<void> {
    await this.send('POST', `${DEVELOPMENT}/reports`, shipment)
  }

  /** The number of the version that is live. */
  async liveVersion(): Promise<number> {
    return ((await this.get(`${DEVELOPMENT}/deployments/live`)) as { version: number }).version
  }

  private async runs(): Promise<ProfileRun[]> {
    return ((await this.get(`${DEVELOPMENT}/profile-runs?limit=500`)) as { items: ProfileRun[] }).items
  }

  private async get(path: string): Promise<unknown> {
    return this.send('GET', path)
  }

  private async send(method: string, path: string, body?: unknown): Promise<unknown> {
    const answer = await fetch(this.url + path, {
      method,
      headers: { 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return answer.status === 204 ? null : answer.json()
  }
}
