// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from 'vitest'
import { currentView, replaceView, setView } from '../../app/url-state'
import { forgetTyped, keepTyped } from './typed'

vi.useFakeTimers()

afterEach(() => forgetTyped('search'))

/** The present address behind its path, once whatever waits has been done. */
function address(): string {
  vi.runAllTimers()
  return `${location.search}${location.hash}`
}

it('what is typed into the form in sight is in the address, which is no step of the back button', () => {
  setView({ application: 'shop', page: 'workbench', query: 'search', panel: 'run' })
  const steps = history.length
  keepTyped('search', 'word', 'tea')
  keepTyped('search', 'since', null)
  expect(address()).toBe('?query=search&panel=run#value.word=tea&null=since')
  expect(history.length).toBe(steps)
  forgetTyped('search')
  expect(address()).toBe('?query=search&panel=run')
})

it('the values of another query take its place, and come back with the first', () => {
  setView({ application: 'shop', page: 'workbench', query: 'search', panel: 'run' })
  keepTyped('search', 'word', 'tea')
  expect(address()).toContain('#value.word=tea')
  setView({ query: 'buy' })
  expect(address()).toBe('?query=buy&panel=run')
  setView({ query: 'search' })
  expect(address()).toBe('?query=search&panel=run#value.word=tea')
})

it('nothing is in the address while no form of a run is in sight', () => {
  setView({ application: 'shop', page: 'workbench', query: 'search', panel: 'plan' })
  keepTyped('search', 'word', 'tea')
  expect(address()).toBe('?query=search&panel=plan')
  replaceView({ panel: 'run' })
  expect(address()).toBe('?query=search&panel=run#value.word=tea')
})

it('an address that has values puts them into the form', () => {
  setView({ application: 'shop', page: 'workbench', query: 'search', panel: 'run' })
  keepTyped('search', 'word', 'tea')
  address()
  history.replaceState(null, '', `${location.pathname}?query=search&panel=run#value.word=coffee`)
  window.dispatchEvent(new PopStateEvent('popstate'))
  expect(currentView().values).toEqual({ word: 'coffee' })
  expect(address()).toContain('#value.word=coffee')
})
