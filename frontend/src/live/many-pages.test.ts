// @vitest-environment happy-dom
// Several pages edit one text through a server. A random schedule decides whose key, message, save, kill or reload is
// next. In the end all have one text, and each line that somebody wrote is in it, once and whole.
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { SimulatedPage } from './simulated-page'
import { SimulatedServer, SimulatedSocket } from './simulated-server'

const FIRST_LINE = '-- One user by name.'
const TEXT = `${FIRST_LINE}\nCREATE QUERY findUser AS\nSELECT * FROM users WHERE username = [1: name];\n`
const TESTS = 10
const SCHEDULES = 12 // of a test
const STEPS = 160

const pages: SimulatedPage[] = []

beforeAll(async () => {
  for (const name of ['Ada', 'Ben', 'Cyd']) pages.push(await SimulatedPage.create(name))
})

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  vi.stubGlobal('WebSocket', SimulatedSocket)
  // Nothing is saved but by the session.
  vi.stubGlobal('fetch', () => Promise.reject(new Error('the page asks the server by HTTP')))
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** Numbers below a limit, the same for the same seed. */
function randomOf(seed: number): (limit: number) => number {
  let state = seed
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
}

/** A person who writes lines of their own below the first line, a key at a time. */
class Writer {
  lines: string[] = []
  private left = ''

  constructor(readonly page: SimulatedPage) {}

  get isWriting(): boolean {
    return this.left !== ''
  }

  /** Presses the next key; with `isLast`, only in a line that has begun. */
  press(isLast = false): void {
    const { editor, session } = this.page
    if (!editor || !session?.isLive || (isLast && this.left === '')) return
    if (this.left === '') {
      const line = `-- line ${this.lines.length} of ${this.page.name}`
      this.lines.push(line)
      this.left = `\n${line}.`
      editor.goBehind(FIRST_LINE)
    }
    editor.type(this.left.charAt(0))
    this.left = this.left.slice(1)
  }
}

class World {
  readonly server = new SimulatedServer(TEXT)

  constructor(
    readonly writers: readonly Writer[],
    private readonly application: string,
  ) {
    SimulatedSocket.server = this.server
    for (const writer of writers) this.open(writer)
    this.settle()
  }

  open({ page }: Writer): void {
    page.open(this.application, this.server.kept.text, this.server.revision)
    this.sockets.set(page, SimulatedSocket.server.opening.at(-1) as SimulatedSocket)
  }

  readonly sockets = new Map<SimulatedPage, SimulatedSocket>()

  /** Delivers one message, to or from a page; false where none is on its way. */
  deliver(random: (limit: number) => number): boolean {
    const { opening, open } = this.server
    const waiting = [
      ...opening.map((socket) => () => this.server.accept(socket)),
      ...[...open.keys()].flatMap((socket) => [
        ...(socket.toServer.length > 0 ? [() => this.server.receive(socket)] : []),
        ...(socket.toPage.length > 0 ? [() => show(socket)] : []),
      ]),
    ]
    waiting[random(waiting.length || 1)]?.()
    return waiting.length > 0
  }

  /** Lets everything arrive, and be saved. */
  settle(): void {
    for (let second = 0; second < 10; second += 1) {
      vi.advanceTimersByTime(1000)
      while (this.deliver(() => 0));
      this.server.save()
      while (this.deliver(() => 0));
    }
  }
}

function show(socket: SimulatedSocket): void {
  const message = socket.toPage.shift()
  if (message) socket.onmessage?.({ data: message.slice().buffer })
}

/** What happens next, by its share of a hundred. */
function step(world: World, random: (limit: number) => number): void {
  const { server } = world
  const writer = world.writers[random(world.writers.length)] as Writer
  const socket = [...server.open.keys()][random(server.open.size || 1)]
  const dice = random(100)
  if (dice < 40) writer.press()
  else if (dice < 80) world.deliver(random)
  else if (dice < 85) server.save()
  else if (dice < 90) vi.advanceTimersByTime(random(1500))
  else if (dice < 92 && server.isUp) server.kill()
  else if (dice < 95) server.isUp = true
  else if (dice < 97) socket?.close()
  else if (dice < 98 && !writer.isWriting) writer.page.remakeEditor()
  else if (dice < 99 && !writer.isWriting && server.isUp) {
    writer.page.leave()
    world.open(writer)
  }
}

test.each(Array.from({ length: TESTS }, (_, index) => index * SCHEDULES))(
  'whatever comes between, all have one text in which each line is whole: from seed %i',
  (first) => {
    for (let seed = first; seed < first + SCHEDULES; seed += 1) {
      const writers = pages.map((page) => new Writer(page))
      const world = new World(writers, `schedule-${seed}`)
      const random = randomOf(seed)
      for (let count = 0; count < STEPS; count += 1) step(world, random)
      world.server.isUp = true
      world.settle()
      for (let key = 0; key < 30; key += 1) for (const writer of writers) writer.press(true)
      world.settle()

      const { text } = world.server.kept
      const lines = text.split('\n').toSorted()
      const written = writers.flatMap((writer) => writer.lines.map((line) => `${line}.`))
      expect(lines, `seed ${seed}`).toEqual([...TEXT.split('\n'), ...written].toSorted())
      for (const { page } of writers) {
        expect(page.editor?.value(), `seed ${seed}, ${page.name}`).toBe(text)
        expect([page.documentText, page.saveState], `seed ${seed}, ${page.name}`).toEqual([text, 'saved'])
        page.leave()
      }
    }
  },
)
