import { expect, test } from 'vitest'
import { nextProblem } from './next-problem'

const FILES = ['schema.piql', 'queries/a.piql', 'queries/b.piql']

function at(file: string, start_line: number, start_column = 1) {
  return { file, start_line, start_column, end_line: start_line, end_column: start_column + 5 }
}

const findings = [
  at('queries/b.piql', 2),
  at('schema.piql', 8, 14),
  at('queries/a.piql', 5, 29),
  at('queries/a.piql', 5, 7),
]

test('the next problem is behind the caret in the same file', () => {
  expect(nextProblem(findings, FILES, { file: 'queries/a.piql', line: 5, column: 7 })).toEqual(
    at('queries/a.piql', 5, 29),
  )
})

test('behind the last problem of a file comes the first of the next', () => {
  expect(nextProblem(findings, FILES, { file: 'schema.piql', line: 12, column: 20 })).toEqual(
    at('queries/a.piql', 5, 7),
  )
})

test('behind the last problem of all comes the first', () => {
  expect(nextProblem(findings, FILES, { file: 'queries/b.piql', line: 2, column: 1 })).toEqual(at('schema.piql', 8, 14))
})

test('without a caret it is the first, and without problems there is none', () => {
  expect(nextProblem(findings, FILES, null)).toEqual(at('schema.piql', 8, 14))
  expect(nextProblem([], FILES, null)).toBeUndefined()
})
