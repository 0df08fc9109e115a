// @vitest-environment happy-dom
// A page whose socket cannot be opened: it asks the server by HTTP whether it is there, before it gives up.
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
