// @vitest-environment happy-dom
// What others type at once changes the text of a page once, and no letter of it is lost.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type SimulatedEditor, SimulatedPage } from './simulated-page'
import { SimulatedServer, SimulatedSocket } from './simulated-server'

const TEXT = '-- Users.\n'
const KEYS = 'typed fast'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  vi.stubGlobal('WebSocket', SimulatedSocket)
  vi.stubGlobal('fetch', () => Promise.reject(new Error('the page asks the server by HTTP')))
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

it('shows keys of somebody that come while the page rests from the last one by one change', async () => {
  const server = new SimulatedServer(TEXT)
  SimulatedSocket.server = server
  const pages = [await SimulatedPage.create('Ada'), await SimulatedPage.create('Ben')]
  const deliver = () => {
    for (const socket of [...server.opening]) server.accept(socket)
    for (let round = 0; round < 5; round += 1)
      for (const socket of server.open.keys()) {
        while (socket.toServer.length > 0) server.receive(socket)
        for (const message of socket.toPage.splice(0)) socket.onmessage?.({ data: message.slice().buffer })
      }
  }
  for (const page of pages) page.open('together', TEXT, server.revision)
  for (let second = 0; second < 5; second += 1) {
    deliver()
    vi.advanceTimersByTime(1000)
  }
  const [ada, ben] = pages as [SimulatedPage, SimulatedPage]
  expect([ada.session?.isLive, ben.session?.isLive]).toEqual([true, true])

  const shown = vi.spyOn(ben.editor as SimulatedEditor, 'replace')
  ada.editor?.goBehind('-- ')
  for (const key of KEYS) {
    ada.editor?.type(key)
    deliver()
    vi.advanceTimersByTime(9) // longer than what belongs to the first key
  }
  vi.advanceTimersByTime(100)
  expect(ben.editor?.value()).toBe(`-- ${KEYS}Users.\n`)
  expect(shown.mock.calls.length).toBeLessThanOrEqual(3)
  for (const page of pages) page.leave()
})
