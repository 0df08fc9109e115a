/** What is typed of a sheet of prices, and what it becomes. */

export const BUCKETS = { amazon: 'Amazon S3, June 2026', 'amazon-2007': 'Amazon S3, November 2007' } as const

type Chosen =
  | { kind: 'bucket'; name: keyof typeof BUCKETS; levels: number }
  | { kind: 'requests'; of: string; date: string; read: number; write: number }
  | { kind: 'nodes'; of: string; date: string; node_month: number; requests_a_second: number }

export interface PriceForm {
  kind: 'none' | keyof typeof BUCKETS | 'requests' | 'nodes'
  levels: string
  of: string
  date: string
  read: string
  write: string
  nodeMonth: string
  requestsASecond: string
}

export const NO_PRICES: PriceForm = {
  kind: 'none',
  levels: '2',
  of: '',
  date: '',
  read: '',
  write: '',
  nodeMonth: '',
  requestsASecond: '',
}

export function priceFormOf(prices: Chosen | null): PriceForm {
  switch (prices?.kind) {
    case undefined:
      return NO_PRICES
    case 'bucket':
      return { ...NO_PRICES, kind: prices.name, levels: String(prices.levels) }
    case 'requests':
      return { ...NO_PRICES, ...named(prices), read: String(prices.read), write: String(prices.write) }
    case 'nodes':
      return {
        ...NO_PRICES,
        ...named(prices),
        nodeMonth: String(prices.node_month),
        requestsASecond: String(prices.requests_a_second),
      }
  }
}

/** The sheet that was typed, null for none; undefined where something is still to be typed. */
export function pricesOf(form: PriceForm): Chosen | null | undefined {
  switch (form.kind) {
    case 'none':
      return null
    case 'requests': {
      const [read, write] = [amount(form.read), amount(form.write)]
      return isNamed(form) && read && write ? { kind: 'requests', ...nameOf(form), read, write } : undefined
    }
    case 'nodes': {
      const [node_month, requests_a_second] = [amount(form.nodeMonth), amount(form.requestsASecond)]
      return isNamed(form) && node_month && requests_a_second
        ? { kind: 'nodes', ...nameOf(form), node_month, requests_a_second }
        : undefined
    }
    default: {
      const levels = Number(form.levels)
      const isLevels = Number.isInteger(levels) && levels >= 1 && levels <= 9
      return isLevels ? { kind: 'bucket', name: form.kind, levels } : undefined
    }
  }
}

function named({ kind, of, date }: Extract<Chosen, { of: string }>) {
  return { kind, of, date }
}

function isNamed({ of, date }: PriceForm): boolean {
  return of.trim() !== '' && date.trim() !== ''
}

function nameOf({ of, date }: PriceForm) {
  return { of: of.trim(), date: date.trim() }
}

/** A number of dollars or of requests; 0 for what is none. */
function amount(text: string): number {
  const value = Number(text.trim() || Number.NaN)
  return value > 0 && value <= 1e9 ? value : 0
}
