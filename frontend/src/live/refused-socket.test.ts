// @vitest-environment happy-dom
// A page whose socket cannot be opened, or hangs: it asks the server by HTTP whether it is there, before it gives up.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SimulatedPage } from './simulated-page'
import { SimulatedServer, SimulatedSocket } from './simulated-server'

const TEXT = '-- One user by name.\nCREATE QUERY findUser AS SELECT * FROM users WHERE username = [1: name];\n'

let server: SimulatedServer
let ada: SimulatedPage
let ben: SimulatedPage
/** Whether the server answers requests by HTTP. */
let answers = false

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] })
  vi.stubGlobal('WebSocket', SimulatedSocket)
  vi.stubGlobal('fetch', () =>
    answers ? Promise.resolve(Response.json({})) : Promise.reject(new TypeError('Failed to fetch')),
  )
  answers = false
  server = SimulatedSocket.server = new SimulatedServer(TEXT)
  ada = await SimulatedPage.create('Ada')
  ben = await SimulatedPage.create('Ben')
  for (const page of [ada, ben]) page.open('shop', TEXT, server.revision)
  await pass(10)
})

afterEach(() => {
  for (const page of [ada, ben]) page.leave()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** Lets seconds pass, in which all that is said arrives and is saved. */
async function pass(seconds: number): Promise<void> {
  for (let tenth = 0; tenth < seconds * 10; tenth += 1) {
    for (const socket of [...server.opening]) server.accept(socket)
    for (const socket of server.open.keys()) {
      while (socket.toServer.length > 0) server.receive(socket)
      for (const message of socket.toPage.splice(0)) socket.onmessage?.({ data: message.slice().buffer })
    }
    server.save()
    await vi.advanceTimersByTimeAsync(100)
  }
}

function write(page: SimulatedPage, line: string): void {
  page.editor?.goBehind('-- One user by name.')
  for (const key of `\n-- ${line}`) page.editor?.type(key)
}

test('a server that comes back between the failure of a socket and the question keeps the session', async () => {
  expect(ada.session?.isLive).toBe(true)
  server.kill()
  write(ada, 'while it was down')
  answers = true // as one that came back just after the socket of the page was refused
  await pass(3) // so long the page makes its attempts in vain, and asks once
  server.isUp = true
  write(ben, 'after it came back')
  await pass(12)
  for (const page of [ada, ben]) {
    expect(page.session?.doc.isDestroyed, page.name).toBe(false)
    expect(page.editor?.value(), page.name).toBe(server.kept.text)
  }
  expect(server.kept.text).toContain('-- while it was down\n')
  expect(server.kept.text).toContain('-- after it came back\n')
})

test('a server that goes on answering, and has no socket for the page, ends the session', async () => {
  server.isUp = false
  for (const socket of [...server.open.keys()]) socket.close()
  answers = true
  await pass(12)
  for (const page of [ada, ben]) expect(page.session?.doc.isDestroyed, page.name).toBe(true)
})

/** Lets seconds pass in which what the pages and the server say to each other gets lost, and no socket ends. */
async function hang(seconds: number): Promise<void> {
  for (let tenth = 0; tenth < seconds * 10; tenth += 1) {
    for (const socket of [...server.open.keys(), ...server.opening]) {
      socket.toServer.length = 0
      socket.toPage.length = 0
    }
    server.save()
    await vi.advanceTimersByTimeAsync(100)
  }
}

test('a socket that hangs is given up within 15 seconds of an edit, and the edit is sent by another', async () => {
  write(ada, 'into the void')
  const [hung] = server.open.keys()
  await hang(15)
  expect(hung?.readyState).toBe(3)
  expect(ada.session?.doc.isDestroyed).toBe(false)
  expect(server.kept.text).not.toContain('into the void')
  await pass(5)
  for (const page of [ada, ben]) expect(page.editor?.value(), page.name).toContain('-- into the void\n')
  expect(server.kept.text).toContain('-- into the void\n')
})

test('a socket over which nothing is said is asked, and goes on', async () => {
  const sockets = [...server.open.keys()]
  await pass(60)
  expect([...server.open.keys()]).toEqual(sockets)
})

test('a socket that does not open is tried again', async () => {
  for (const socket of [...server.open.keys()]) socket.close()
  await hang(12) // attempts begin after 0.4 and after 11.2 seconds
  expect(server.opening.length).toBe(4) // of either page one that was given up, and one that has just begun
  await pass(1)
  expect(server.open.size).toBe(2)
})
