/** Short messages at the edge of the window; they are read out, and leave by themselves unless they carry an action. */
import { create } from 'zustand'

export interface Notice {
  id: number
  tone: 'info' | 'success' | 'danger'
  text: string
  action?: { label: string; run: () => void }
}

interface Notices {
  notices: readonly Notice[]
}

export const useNotices = create<Notices>(() => ({ notices: [] }))

let lastId = 0

export function notify(notice: Omit<Notice, 'id'>): number {
  lastId += 1
  const id = lastId
  useNotices.setState(({ notices }) => ({ notices: [...notices.slice(-2), { ...notice, id }] }))
  setTimeout(() => dismiss(id), notice.action ? 15_000 : 6000)
  return id
}

export function dismiss(id: number): void {
  useNotices.setState(({ notices }) => ({ notices: notices.filter((notice) => notice.id !== id) }))
}
