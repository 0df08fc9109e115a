/** The form of a load run: what is typed, what is wrong with it, and the request that it becomes. */

import { plural } from '../units'
import { numberError } from './numbers'

/** A deployed query as the form needs it. */
export interface Callable {
  name: string
  kind: 'select' | 'insert' | 'update' | 'delete' | 'unit'
}

/** What is typed. `mix` is `reads`, `own`, or the name of a mix; `weights` count for `own` alone, empty for no call. */
export interface TypedLoad {
  label: string
  mix: string
  weights: Readonly<Record<string, string>>
  isClosed: boolean
  rates: string
  seconds: string
  connections: string
  stopIf: string
  /** The queries that write and whose effect was confirmed. */
  seen: readonly string[]
}

export const START: TypedLoad = {
  label: '',
  mix: 'reads',
  weights: {},
  isClosed: false,
  rates: '50',
  seconds: '30',
  connections: '16',
  stopIf: 'errors > 20%',
  seen: [],
}

const SECONDS = { least: 1, most: 3600 }
const CONNECTIONS = { least: 1, most: 64, isWhole: true }
const MOST_STEPS = 20

export type LoadErrors = Partial<Record<'rates' | 'seconds' | 'connections' | 'weights', string>>

/** What is wrong, by field; empty for a form that can be sent. */
export function loadErrors(typed: TypedLoad, queries: readonly Callable[]): LoadErrors {
  const errors: LoadErrors = {}
  const rates = numbersOf(typed.rates)
  if (!typed.isClosed && (rates === null || rates.length > MOST_STEPS))
    errors.rates = 'Numbers above 0: 50, or 50, 100, 200 for three steps.'
  const seconds = numberError(typed.seconds, SECONDS)
  if (seconds) errors.seconds = seconds
  const connections = numberError(typed.connections, CONNECTIONS)
  if (connections) errors.connections = connections
  if (typed.mix === 'own') {
    const weights = Object.values(typed.weights).filter((weight) => weight.trim() !== '')
    if (weights.some((weight) => !(Number(weight) > 0))) errors.weights = 'A weight is a number above 0.'
    else if (called(typed, queries).length === 0) errors.weights = 'Give at least one query a weight.'
  }
  return errors
}

/** The queries that a run calls; with a mix of a sample, which only reads, none is named. */
function called(typed: TypedLoad, queries: readonly Callable[]): Callable[] {
  return typed.mix === 'own' ? queries.filter(({ name }) => (typed.weights[name] ?? '').trim() !== '') : []
}

/** The called queries that write. */
export function writesOf(typed: TypedLoad, queries: readonly Callable[]): Callable[] {
  return called(typed, queries).filter(({ kind }) => kind !== 'select')
}

/** What calling a query that writes does to the rows of the environment. */
export function effectOf({ name, kind }: Callable, environment: string): string {
  switch (kind) {
    case 'delete':
      return `${name} deletes rows of ${environment} for good.`
    case 'update':
      return `${name} changes rows of ${environment}.`
    case 'unit':
      return `${name} makes all of its writes in ${environment}.`
    default:
      return `${name} adds rows to ${environment}, and they stay.`
  }
}

/** The body of the request; the form has no errors. */
export function loadRequest(typed: TypedLoad, queries: readonly Callable[]) {
  const named = called(typed, queries).map(({ name }) => ({ name, weight: Number(typed.weights[name]) }))
  const thresholds = typed.stopIf.split(',').map((text) => text.trim())
  return {
    label: typed.label.trim() || null,
    queries: named,
    mix: typed.mix === 'own' || typed.mix === 'reads' ? null : typed.mix,
    rates: typed.isClosed ? null : numbersOf(typed.rates),
    seconds: Number(typed.seconds),
    connections: Number(typed.connections),
    stop_if: thresholds.filter((text) => text !== ''),
    allow_writes: writesOf(typed, queries)
      .map(({ name }) => name)
      .filter((name) => typed.seen.includes(name)),
  }
}

/** How long the run takes and how many calls it makes, in a sentence; null where a number is missing. */
export function loadSummary(typed: TypedLoad): string | null {
  const seconds = Number(typed.seconds)
  if (!(seconds > 0)) return null
  if (typed.isClosed) return `Takes ${seconds} s, and makes as many calls as are answered.`
  const rates = numbersOf(typed.rates)
  if (rates === null) return null
  const calls = Math.round(rates.reduce((sum, rate) => sum + rate * seconds, 0))
  return `Takes ${seconds * rates.length} s, and makes about ${plural(calls, 'call')}.`
}

/** Numbers above 0, separated by commas; null for anything else. */
function numbersOf(text: string): number[] | null {
  const numbers = text.split(',').map((word) => Number(word.trim() || Number.NaN))
  return numbers.every((number) => number > 0 && Number.isFinite(number)) ? numbers : null
}
