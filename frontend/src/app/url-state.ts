/**
 * The view: what the address says is looked at (page, file, query, panel …; `View` in logic/view.ts). Panels read it by
 * `useView` and change it by `setView`; it lives in the URL alone, so that every view is a link.
 */
import { useSyncExternalStore } from 'react'
import type { EnvironmentName } from '../api/environment'
import { belowRoot, withoutRoot } from '../api/root'
import { changed, formatView, parseView, type View } from '../logic/view'

const listeners = new Set<() => void>()
const addressListeners = new Set<() => void>()
let view = viewOfAddress()
let environment: EnvironmentName = { application: view.application, environment: view.environment }

window.addEventListener('popstate', () => {
  view = viewOfAddress()
  tell()
  for (const listener of addressListeners) listener()
})

/** Calls back after the back or forward button; returns the function that stops it. */
export function onAddress(listener: () => void): () => void {
  addressListeners.add(listener)
  return () => addressListeners.delete(listener)
}

/** Calls back after any change of the view; returns the function that stops it. */
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

/** Changes the view, as a step that the back button returns from. */
export function setView(change: Partial<View>): void {
  move(change, false)
}

/** Changes the view without such a step, for what merely follows, such as the query under the caret. */
export function replaceView(change: Partial<View>): void {
  move(change, true)
}

/** The URL of the present view with a change. */
export function hrefTo(change: Partial<View>): string {
  return belowRoot(formatView(changed(view, change)))
}

/** Applies a change to view and address; does nothing if the address stays the same. */
function move(change: Partial<View>, isReplaced: boolean): void {
  const next = changed(view, change)
  const url = formatView(next)
  if (url === formatView(view)) return
  view = next
  if (isReplaced) history.replaceState(null, '', belowRoot(url))
  else history.pushState(null, '', belowRoot(url))
  tell()
}

function viewOfAddress(): View {
  return parseView(withoutRoot(location.pathname), location.search, location.hash)
}

function tell(): void {
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
