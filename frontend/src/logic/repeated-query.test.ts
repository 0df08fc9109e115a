import { expect, it } from 'vitest'
import { repeatedText, repeatedTitle } from './repeated-query'

const range = (file: string, line: number) => ({
  file,
  start_line: line,
  start_column: 14,
  end_line: line,
  end_column: 18,
})

it('says which of two queries with one name the caret is in, and which one the name stands for', () => {
  const repeated = { name: 'find', name_range: range('writes.piql', 7), first_name_range: range('reads.piql', 2) }
  expect(repeatedTitle(repeated)).toBe('Another query is called find')
  expect(repeatedText(repeated)).toBe(
    'The caret is in the find of writes.piql, line 7. It has no plan and cannot run, ' +
      'because the name stands for the query of reads.piql, line 2. Rename one of them.',
  )
})
