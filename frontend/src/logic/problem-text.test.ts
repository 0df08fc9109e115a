import { describe, expect, it } from 'vitest'
import { problemsText } from './problem-text'

const at = (file: string, start_line: number, start_column: number) => ({ file, start_line, start_column })
const finding = {
  code: 'unbounded-scan',
  severity: 'error',
  message: 'subscriptions of one owner: nothing limits how many there are',
  range: at('q.piql', 5, 7),
  allowed: '',
  help: ['declare CARDINALITY LIMIT n (owner) in subscriptions'],
  labels: [{ range: at('schema.piql', 8, 14), text: 'no CARDINALITY LIMIT on owner here' }],
}

describe('problems as text', () => {
  it('say what, where, why and what helps, with a line between them', () => {
    expect(
      problemsText([finding, { ...finding, severity: 'warning', code: 'c', message: 'm', help: [], labels: [] }]),
    ).toBe(
      [
        'error[unbounded-scan]: subscriptions of one owner: nothing limits how many there are',
        ' --> q.piql:5:7',
        '  = schema.piql:8:14: no CARDINALITY LIMIT on owner here',
        '  = help: declare CARDINALITY LIMIT n (owner) in subscriptions',
        '',
        'warning[c]: m',
        ' --> q.piql:5:7',
      ].join('\n'),
    )
  })
})
