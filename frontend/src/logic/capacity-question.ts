/**
 * What is asked about capacity, and its text in the address, so that a link shows somebody else the same answer:
 *
 *     of-20000*at-1000000*rate-8-10-13-thoughtstream*rate-500-findUser*rows-200-thoughts*price-250
 *
 * Numbers come first, because a name may hold any character but `*`. A part that cannot be read is left out.
 */

/** What is known only so well: 5 of 100 lie below `low`, 95 below `high`. All three are equal where it is known. */
export interface Amount {
  low: number
  mid: number
  high: number
}

export interface CapacityQuestion {
  /** How many users make the rates. */
  of: number
  /** The number of users that is looked at. */
  at: number
  /** Executions a second by query, rows of one user by table. */
  rates: Readonly<Record<string, Amount>>
  rows: Readonly<Record<string, Amount>>
  /** The rows that a plan without a bound scans for each user, by query. */
  unbounded: Readonly<Record<string, Amount>>
  copies: number
  /** Of data that one node may hold. */
  gigabytes: number | null
  /** The cluster that was profiled; null for an embedded store. */
  nodes: number | null
  cores: number | null
  busy: Amount | null
  /** Of one node, in $ a month. */
  price: number | null
}

export const FEWEST_USERS = 1000
export const MOST_USERS = 1_000_000_000

export const NO_QUESTION: CapacityQuestion = {
  of: 1000,
  at: 1_000_000,
  rates: {},
  rows: {},
  unbounded: {},
  copies: 1,
  gigabytes: null,
  nodes: null,
  cores: null,
  busy: null,
  price: null,
}

/** Numbers that the server takes; smaller and larger ones are of no use, and have exponents in their texts. */
const LEAST = 0.000_001
const MOST = 1_000_000_000_000

/** The question of a text in the address. */
export function parseQuestion(text: string): CapacityQuestion {
  const question = {
    ...NO_QUESTION,
    rates: {} as Record<string, Amount>,
    rows: {} as Record<string, Amount>,
    unbounded: {} as Record<string, Amount>,
  }
  for (const part of text.split('*')) {
    const [, key = '', rest = ''] = /^([a-z]+)-(.+)$/s.exec(part) ?? []
    if (key === 'rate' || key === 'rows' || key === 'scan') {
      const [, numbers = '', name = ''] = /^((?:[\d.]+-){3}|[\d.]+-)(.+)$/s.exec(rest) ?? []
      const amount = parseAmount(numbers.slice(0, -1).replaceAll('-', ','))
      if (amount && name) question[key === 'rate' ? 'rates' : key === 'rows' ? 'rows' : 'unbounded'][name] = amount
    } else if (key === 'busy') {
      question.busy = parseAmount(rest.replaceAll('-', ','))
    } else if (key === 'of' || key === 'at' || key === 'copies') {
      const number = parseNumber(rest)
      if (number !== null && number >= 1) question[key] = Math.round(number)
    } else if (key === 'gigabytes' || key === 'nodes' || key === 'cores' || key === 'price') {
      question[key] = parseNumber(rest)
    }
  }
  return question
}

/** The text of a question; what is as usual is left out. */
export function formatQuestion(question: CapacityQuestion): string {
  const parts: string[] = []
  for (const key of ['of', 'at', 'copies', 'gigabytes', 'nodes', 'cores', 'price'] as const) {
    if (question[key] !== NO_QUESTION[key]) parts.push(`${key}-${question[key]}`)
  }
  if (question.busy) parts.push(`busy-${numbersOf(question.busy, '-')}`)
  for (const [key, amounts] of [
    ['rate', question.rates],
    ['rows', question.rows],
    ['scan', question.unbounded],
  ] as const) {
    for (const [name, amount] of Object.entries(amounts)) parts.push(`${key}-${numbersOf(amount, '-')}-${name}`)
  }
  return parts.join('*')
}

/** `120`, or `80, 120, 200`; null for anything else. */
export function parseAmount(text: string): Amount | null {
  const numbers = text.split(',').map((part) => parseNumber(part.trim()))
  const [low, mid = low, high = low] = numbers
  if (!low || !mid || !high || (numbers.length !== 1 && numbers.length !== 3)) return null
  return low <= mid && mid <= high ? { low, mid, high } : null
}

/** A number that the server takes; null for any other text. */
function parseNumber(text: string): number | null {
  if (!/^\d+(\.\d*)?$|^\.\d+$/.test(text)) return null
  const number = Number(text)
  return number >= LEAST && number <= MOST ? number : null
}

/** `120`, or `80, 120, 200`: as it is typed. */
export function amountText(amount: Amount | undefined | null): string {
  return amount ? numbersOf(amount, ', ') : ''
}

/** The amount with another middle; its ends keep their distances. */
export function movedTo(amount: Amount | undefined, mid: number): Amount {
  const factor = amount ? mid / amount.mid : 1
  const moved = (end: number | undefined) => clamped((end ?? mid) * factor)
  return amount ? { low: moved(amount.low), mid: clamped(mid), high: moved(amount.high) } : { low: mid, mid, high: mid }
}

/** A copy without one name, or with another amount of it. */
export function withAmount(
  amounts: Readonly<Record<string, Amount>>,
  name: string,
  amount: Amount | null,
): Record<string, Amount> {
  const { [name]: _, ...others } = amounts
  return amount ? { ...others, [name]: amount } : others
}

/** A number with three digits, as sliders give them. */
export function rounded(number: number): number {
  return Number(number.toPrecision(3))
}

function clamped(number: number): number {
  return Math.min(MOST, Math.max(LEAST, Number(number.toPrecision(4))))
}

function numbersOf({ low, mid, high }: Amount, separator: string): string {
  return (low === high ? [mid] : [low, mid, high]).map(plain).join(separator)
}

/** A number without an exponent. */
function plain(number: number): string {
  return number < 0.001 ? number.toFixed(9).replace(/0+$/, '') : String(number)
}
