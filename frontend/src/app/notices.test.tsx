// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen, act as settle, within } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { EarlierNotices } from './EarlierNotices'
import { Notices } from './Notices'
import { type Notice, notify, useNotices } from './notices'

const HOUR = 3_600_000
const tell = (notice: Partial<Notice> = {}) => settle(() => void notify({ tone: 'info', text: 'Saved.', ...notice }))
const pass = (milliseconds: number) => settle(() => vi.advanceTimersByTime(milliseconds))
const inSight = () =>
  [...screen.getByRole('status', { name: 'Notices' }).children].map(
    (notice) => notice.querySelector('span')?.textContent,
  )

beforeEach(() => {
  HTMLDialogElement.prototype.showModal = vi.fn()
  vi.useFakeTimers()
  useNotices.setState({ all: [], shown: [] })
  render(<Notices />)
})
afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

describe('a notice', () => {
  it('leaves by itself, and can be read again', () => {
    tell()
    expect(inSight()).toEqual(['Saved.'])
    pass(HOUR)
    expect(inSight()).toEqual([])
    render(<EarlierNotices onClose={() => undefined} />)
    expect(screen.getByText('Saved.')).toBeDefined()
  })

  it('stays while it has the focus, and its whole time after that', () => {
    tell()
    const dismiss = screen.getByRole('button', { name: 'Dismiss' })
    dismiss.focus()
    pass(HOUR)
    expect(inSight()).toEqual(['Saved.'])
    settle(() => dismiss.blur())
    pass(5999)
    expect(inSight()).toEqual(['Saved.'])
    pass(1)
    expect(inSight()).toEqual([])
  })

  it('has its whole time again when the pointer has left it', () => {
    tell()
    pass(5000)
    fireEvent.pointerLeave(screen.getByRole('status', { name: 'Notices' }))
    pass(5999)
    expect(inSight()).toEqual(['Saved.'])
    pass(1)
    expect(inSight()).toEqual([])
  })

  it('of an error stays until it is dismissed, whatever comes after it', () => {
    tell({ tone: 'danger', text: 'Not saved.' })
    for (const text of ['1', '2', '3', '4']) tell({ text })
    expect(inSight()).toEqual(['Not saved.', '3', '4'])
    pass(HOUR)
    expect(inSight()).toEqual(['Not saved.'])
    fireEvent.click(screen.getByRole('button', { name: 'Dismiss' }))
    expect(inSight()).toEqual([])
  })

  it('gives way to a newer one of its subject, even if it is an error', () => {
    tell({ tone: 'danger', subject: 'q', text: 'Not saved.' })
    tell({ tone: 'danger', subject: 'p', text: 'Not copied.' })
    tell({ tone: 'success', subject: 'q', text: 'Saved.' })
    expect(inSight()).toEqual(['Not copied.', 'Saved.'])
  })

  it('offers what can be done after it has left, once, until there is a newer one of its subject', () => {
    const run = vi.fn()
    const action = { label: 'Put it back', run }
    tell({ subject: 'q', action })
    tell({ subject: 'p', action })
    pass(HOUR)
    render(<EarlierNotices onClose={() => undefined} />)
    const offers = () =>
      within(screen.getByRole('list', { name: 'Earlier notices', hidden: true })).queryAllByText('Put it back')
    expect(offers()).toHaveLength(2)
    tell({ subject: 'q' })
    expect(offers()).toHaveLength(1)
    fireEvent.click(offers()[0] as HTMLElement)
    expect(run).toHaveBeenCalledOnce()
    expect(offers()).toHaveLength(0)
  })
})
