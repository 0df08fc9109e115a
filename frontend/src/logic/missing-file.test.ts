import { expect, it } from 'vitest'
import { missingFile } from './missing-file'

const FILES = ['queries/find.piql', 'schema.piql']

it('an address with a file that there is not is answered in words', () => {
  expect(missingFile('none.piql', FILES, [])).toBe(
    'There is no file none.piql in this application, so queries/find.piql is open. Choose another file on the left, or make none.piql there.',
  )
})

it('nothing is said of a file that there is, that was there a moment ago, or before the files have arrived', () => {
  expect(missingFile('schema.piql', FILES, [])).toBeNull()
  expect(missingFile(undefined, FILES, [])).toBeNull()
  expect(missingFile('old.piql', FILES, ['old.piql', ...FILES])).toBeNull()
  expect(missingFile('none.piql', [], [])).toBeNull()
})
