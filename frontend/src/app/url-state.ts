/** The view in the address bar: read by every panel, changed by `setView`. */
import { useSyncExternalStore } from 'react'
import type { EnvironmentName } from '../api/environment'
import { formatView, parseView, type View } from '../logic/view'

const listeners = new Set<() => void>()
const addressListeners = new Set<() => void>()
let view = parseView(location.pathname, location.search)
let environment: EnvironmentName = { application: view.application, environment: view.environment }

window.addEventListener('popstate', () => {
  view = parseView(location.pathname, location.search)
  tell()
  for (const listener of addressListeners) listener()
})

/** Calls back when the browser has gone to another address by itself: back, or forward. */
export function onAddress(listener: () => void): () => void {
  addressListeners.add(listener)
  return () => addressListeners.delete(listener)
}

/** Calls back when anything of the view has changed. */
export function onView(listener: () => void): () => void {
  return subscribe(listener)
}

export function useView(): View {
  return useSyncExternalStore(subscribe, currentView)
}

export function currentView(): View {
  return view
}

/** The environment that is looked at; the same value as long as it is the same one. */
export function useEnvironment(): EnvironmentName {
  return useSyncExternalStore(subscribe, currentEnvironment)
}

export function currentEnvironment(): EnvironmentName {
  const { application, environment: name } = view
  if (environment.application !== application || environment.environment !== name)
    environment = { application, environment: name }
  return environment
}

/** A step the back button returns from; `replaceView` follows what merely moves along, such as the caret. */
export function setView(change: Partial<View>): void {
  move(change, false)
}

export function replaceView(change: Partial<View>): void {
  move(change, true)
}

export function hrefTo(change: Partial<View>): string {
  return formatView({ ...view, ...change })
}

function move(change: Partial<View>, isReplaced: boolean): void {
  const next = { ...view, ...change }
  const url = formatView(next)
  if (url === formatView(view)) return
  view = next
  if (isReplaced) history.replaceState(null, '', url)
  else history.pushState(null, '', url)
  tell()
}

function tell(): void {
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
