import { expect, test } from 'vitest'
import { changeOf, isIncomplete, openedForm, withTable } from './schema-form'

const TABLES = [
  { name: 'users', columns: [{ name: 'username' }, { name: 'hometown' }] },
  { name: 'thoughts', columns: [{ name: 'owner' }, { name: 'posted' }] },
]

test('the form opens with a table, its last column, and another table to reference', () => {
  const form = openedForm(TABLES, { kind: 'drop-column' })
  expect(changeOf(form)).toEqual({ kind: 'drop-column', table: 'users', column: 'hometown' })
  expect(form.referenced).toBe('thoughts')
  expect(withTable(form, TABLES, 'thoughts').column).toBe('posted')
  expect(isIncomplete(form)).toBe(false)
  expect(isIncomplete({ ...form, kind: 'rename-column' })).toBe(true)
  expect(openedForm([], {}).kind).toBe('add-table')
})

test('lines and lists become columns, limits and indexes', () => {
  const form = openedForm(TABLES, { table: 'thoughts', name: 'tags' })
  const lines = 'owner VARCHAR(32) NOT NULL,\n\n"at" DECIMAL(10, 2)'
  expect(changeOf({ ...form, kind: 'add-table', lines, key: 'owner, at' })).toEqual({
    kind: 'add-table',
    name: 'tags',
    columns: [
      { name: 'owner', type: 'VARCHAR(32)', is_required: true },
      { name: 'at', type: 'DECIMAL(10, 2)', is_required: false },
    ],
    primary_key: ['owner', 'at'],
  })
  expect(changeOf({ ...form, kind: 'add-index', columns: 'owner, posted desc' })).toMatchObject({
    columns: ['owner', 'posted'],
    descending: ['posted'],
  })
  expect(changeOf({ ...form, kind: 'set-limit', columns: 'TOKEN(text)', limit: '1,000' })).toMatchObject({
    columns: ['text'],
    is_token: true,
    limit: 1000,
  })
  expect(changeOf({ ...form, kind: 'add-reference', columns: 'owner' })).toMatchObject({ limit: null })
})

test('a limit that is no number of rows is refused', () => {
  const form = openedForm(TABLES, { kind: 'set-limit', columns: 'owner' })
  for (const limit of ['', '0', '-3', '2.5', 'many']) expect(() => changeOf({ ...form, limit })).toThrow('whole number')
})

test('stripes are a whole number up to 256, and a new name is only sent where there is one', () => {
  const form = openedForm(TABLES, { kind: 'set-stripes', table: 'thoughts', stripes: '8' })
  expect(changeOf(form)).toEqual({ kind: 'set-stripes', view: 'thoughts', stripes: 8, new_name: null })
  expect(changeOf({ ...form, name: ' other ' })).toMatchObject({ new_name: 'other' })
  expect(isIncomplete({ ...form, stripes: '' })).toBe(true)
  for (const stripes of ['0', '257', '2.5', 'many']) expect(() => changeOf({ ...form, stripes })).toThrow('to 256')
})
