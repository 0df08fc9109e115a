/**
 * The theme: light, dark, or the system's. The choice is kept in the browser; styles read `data-theme` of the document.
 */
import { create } from 'zustand'
import { browserStorage } from './browser-storage'

export type ThemeChoice = 'system' | 'light' | 'dark'
export type Theme = 'light' | 'dark'

const KEY = 'piql:theme'
const systemIsDark = window.matchMedia('(prefers-color-scheme: dark)')

interface ThemeState {
  choice: ThemeChoice
  theme: Theme
}

export const useTheme = create<ThemeState>(() => stateOf(remembered()))

export function chooseTheme(choice: ThemeChoice): void {
  browserStorage.setItem(KEY, choice)
  useTheme.setState(stateOf(choice))
}

/** The next of system → light → dark. */
export function nextTheme(choice: ThemeChoice): ThemeChoice {
  return choice === 'system' ? 'light' : choice === 'light' ? 'dark' : 'system'
}

systemIsDark.addEventListener('change', () => useTheme.setState(stateOf(useTheme.getState().choice)))
useTheme.subscribe(showTheme)
showTheme(useTheme.getState())

function showTheme({ theme }: ThemeState): void {
  document.documentElement.dataset['theme'] = theme
}

function stateOf(choice: ThemeChoice): ThemeState {
  return { choice, theme: choice === 'system' ? (systemIsDark.matches ? 'dark' : 'light') : choice }
}

function remembered(): ThemeChoice {
  const choice = browserStorage.getItem(KEY)
  return choice === 'light' || choice === 'dark' ? choice : 'system'
}
