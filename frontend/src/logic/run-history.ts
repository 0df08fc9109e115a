/**
 * The runs of an application: what was run in the panel Run, kept in this browser, the newest first.
 *
 * A run holds the values of its parameters and what the execution cost, never the rows that it gave. It is kept where
 * drafts are, and not by the server: the workbench knows no persons, so a history of the server would show everybody's
 * values to everybody.
 */
import type { DraftStorage } from './drafts'
import { isBytes, type ParameterValue } from './parameters'

export type ParameterValues = Readonly<Record<string, ParameterValue>>

/** What an execution cost; of a write, `rows` are those that it changed. */
interface Cost {
  rows: number
  operations: number
  bound: number
  elapsedMs: number
}

export interface PastRun {
  /** When it began, in UTC. */
  at: string
  environment: string
  query: string
  isWrite: boolean
  /** By name; null where they were too long to be kept. */
  values: ParameterValues | null
  /** Null where the execution failed. */
  cost: Cost | null
  /** Why it failed; null where it did not. */
  error: string | null
}

const PREFIX = 'piql:runs:'
export const MOST_RUNS = 100
/** The most that is kept of an application, in characters of JSON: drafts need the browser's room more. */
export const MOST_CHARACTERS = 100_000
/** Values whose JSON is longer are not kept. */
export const MOST_OF_VALUES = 4_000
const MOST_OF_ERROR = 300

/** The runs of an application, the newest first. */
export function readRuns(storage: DraftStorage, application: string): PastRun[] {
  return parseRuns(storage.getItem(keyOfRuns(application)))
}

/** The runs that stand in what the browser keeps; entries that are no runs are ignored. */
export function parseRuns(text: string | null): PastRun[] {
  if (text === null) return []
  try {
    const runs: unknown = JSON.parse(text)
    return Array.isArray(runs) ? runs.filter(isRun) : []
  } catch {
    return []
  }
}

/** Keeps a run before all others; the oldest go when there are too many. */
export function keepRun(storage: DraftStorage, application: string, run: PastRun): void {
  const isLong = run.values !== null && JSON.stringify(run.values).length > MOST_OF_VALUES
  const kept = { ...run, values: isLong ? null : run.values, error: run.error?.slice(0, MOST_OF_ERROR) ?? null }
  const runs = [kept, ...readRuns(storage, application)].slice(0, MOST_RUNS)
  while (runs.length > 1 && JSON.stringify(runs).length > MOST_CHARACTERS) runs.pop()
  storage.setItem(keyOfRuns(application), JSON.stringify(runs))
}

/** Forgets all runs of an application. */
export function clearRuns(storage: DraftStorage, application: string): void {
  storage.removeItem(keyOfRuns(application))
}

/** The key under which the browser keeps the runs of an application. */
export function keyOfRuns(application: string): string {
  return PREFIX + application
}

/** `me = ada, count = 10`; a text is shown as it is, NULL and lists as in SQL. */
export function valuesText(values: ParameterValues): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} = ${valueText(value)}`)
    .join(', ')
}

function valueText(value: ParameterValue): string {
  if (value === null) return 'NULL'
  if (Array.isArray(value)) return `(${value.map(itemText).join(', ')})`
  return typeof value === 'object' ? value.$base64 : String(value)
}

/** An item of a list; a row is shown as JSON. */
function itemText(item: Extract<ParameterValue, unknown[]>[number]): string {
  if (Array.isArray(item) || (typeof item === 'object' && !isBytes(item))) return JSON.stringify(item)
  return valueText(item)
}

function isRun(value: unknown): value is PastRun {
  if (typeof value !== 'object' || value === null) return false
  const { at, environment, query, isWrite, values, cost, error } = value as Partial<Record<keyof PastRun, unknown>>
  return (
    [at, environment, query].every((text) => typeof text === 'string') &&
    typeof isWrite === 'boolean' &&
    typeof values === 'object' &&
    (error === null ? isCost(cost) : typeof error === 'string')
  )
}

function isCost(value: unknown): value is Cost {
  if (typeof value !== 'object' || value === null) return false
  const { rows, operations, bound, elapsedMs } = value as Partial<Record<keyof Cost, unknown>>
  return [rows, operations, bound, elapsedMs].every((number) => typeof number === 'number')
}
