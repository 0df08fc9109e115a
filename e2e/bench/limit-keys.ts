/** Typed right behind the 100 of CARDINALITY LIMIT: each key changes either a bound or a squiggle. */
export const KEYS = [
  { key: '0', changes: 'bound' },
  { key: 'Backspace', changes: 'bound' },
  { key: 'x', changes: 'squiggle' },
  { key: 'Backspace', changes: 'squiggle' },
] as const

/** What a key changes on the screen. */
export type Change = (typeof KEYS)[number]['changes']
