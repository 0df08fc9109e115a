import { expect, test } from 'vitest'
import { describeBuild, isRefusalOfNow, isUnderWay, shareDone } from './build'

const build = {
  phase: 'filling' as const,
  rows_done: 1200,
  rows_estimate: 3000,
  is_paused: false,
  is_running: true,
  reason: null,
  deployment_id: null,
}

test('a build says what it does and how far it is', () => {
  expect(describeBuild(build)).toBe('Filling new indexes: 1,200 of about 3,000 rows.')
  expect(describeBuild({ ...build, phase: 'checking', is_paused: true, is_running: false })).toBe(
    'Checking existing rows against new constraints: 1,200 of about 3,000 rows. It is paused.',
  )
  expect(describeBuild({ ...build, is_running: false })).toContain('resume it')
  expect(describeBuild({ ...build, is_running: false, reason: 'the disk of the store is full' })).toContain(
    'It stopped: the disk of the store is full. Resume it once that is mended.',
  )
})

test('a build is under way until it is live, refused or cancelled', () => {
  expect(isUnderWay(build)).toBe(true)
  expect(isUnderWay({ ...build, phase: 'in force' })).toBe(true)
  expect(isUnderWay({ ...build, phase: 'in force', deployment_id: 'd2' })).toBe(false)
  expect(isUnderWay({ ...build, phase: 'refused' })).toBe(false)
  expect(isUnderWay({ ...build, phase: 'cancelled' })).toBe(false)
})

test('the share that is done is never above all of it', () => {
  expect(shareDone(build)).toBe(0.4)
  expect(shareDone({ ...build, rows_done: 4000 })).toBe(1)
  expect(shareDone({ ...build, rows_done: 0, rows_estimate: 0 })).toBe(0)
  expect(shareDone({ ...build, phase: 'in force' })).toBe(1)
})

test('a refusal speaks of the text that was refused, until another is typed or a later version is live', () => {
  const seen = { startedAt: '2026-03-01T12:00:00Z', textVersion: 4 }
  expect(isRefusalOfNow(seen, 4, null)).toBe(true)
  expect(isRefusalOfNow(seen, 4, '2026-03-01T11:00:00Z')).toBe(true)
  expect(isRefusalOfNow(seen, 5, null)).toBe(false)
  expect(isRefusalOfNow(seen, 4, '2026-03-01T12:30:00Z')).toBe(false)
  expect(isRefusalOfNow(null, 4, null)).toBe(false)
})
