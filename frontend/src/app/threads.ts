/** Threads of comments for everything that shows or begins one: lists, counts, and the comment that is being written. */
import { type MutationFunction, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { create } from 'zustand'
import { session } from '../api/session'
import { threads } from '../api/thread-queries'
import type { Query, Thread, ThreadAnchor } from '../api/types'
import { roleLacking } from '../logic/request-words'
import { countThreads, type ThreadCounts } from '../logic/threads'
import { openPanel } from './panel-view'
import { useCompilation } from './selection'
import { setView, useView } from './url-state'

const NONE: readonly Thread[] = []

/** All threads of the application that are known; none until they are read. */
export function useThreads(): readonly Thread[] {
  const { application } = useView()
  const { data } = useQuery(threads(application))
  return data?.all ?? NONE
}

/** How many open threads there are about what. */
export function useThreadCounts(): ThreadCounts {
  return counted(useThreads(), useCompilation()?.queries ?? NO_QUERIES)
}

const NO_QUERIES: readonly Query[] = []
let last: { all: readonly Thread[]; queries: readonly Query[]; counts: ThreadCounts } | null = null

/** The counts, kept until one of the two is another: there may be thousands of threads, and each key compiles. */
function counted(all: readonly Thread[], queries: readonly Query[]): ThreadCounts {
  if (last?.all !== all || last.queries !== queries) last = { all, queries, counts: countThreads(all, queries) }
  return last.counts
}

/** Who looks at comments: whether people sign in here, and why one may not comment, or not remove those of others. */
export function useCommenter() {
  const { application } = useView()
  const { data: visitor } = useQuery(session)
  const person = visitor?.person ?? null
  return {
    isTeam: visitor?.is_team === true,
    whyNotComment: roleLacking(person, application, 'developer'),
    mayRemoveAll: roleLacking(person, application, 'administrator') === null,
  }
}

/** The comment that is being written to begin a thread; it is kept while other panels are looked at. */
export const useNewThread = create<{ anchor: ThreadAnchor | null; text: string; asked: number }>(() => ({
  anchor: null,
  text: '',
  asked: 0,
}))

/** Answers that are being written, by the number of their thread. */
export const useAnswers = create<Readonly<Record<number, string>>>(() => ({}))

/** Opens the form that begins a thread; what was typed into it about something else stays in it. */
export function commentOn(anchor: ThreadAnchor): void {
  useNewThread.setState(({ asked }) => ({ anchor, asked: asked + 1 }))
  openPanel('comments')
}

/** Shows a thread in the panel Comments; with `isFocused` the focus goes there. */
export function openThread(number: number, isFocused = false): void {
  setView({ thread: String(number) })
  openPanel('comments')
  if (isFocused) focusThread(number)
}

/** A request that changes a thread; all that changed is read again after it, whether it succeeded or not. */
export function useThreadChange<Answer, Wish = void>(
  mutationFn: MutationFunction<Answer, Wish>,
  onDone?: (answer: Answer) => void,
) {
  const { application } = useView()
  const queryClient = useQueryClient()
  const readAgain = () => queryClient.invalidateQueries({ queryKey: threads(application).queryKey })
  return useMutation({
    mutationFn,
    onSuccess: async (answer) => {
      await readAgain()
      onDone?.(answer)
    },
    onError: () => void readAgain(),
  })
}

/** Moves the focus to a thread of the panel as soon as it is there. */
function focusThread(number: number, tries = 40): void {
  const head = document.getElementById(`thread-${number}`)
  if (head) head.focus()
  else if (tries > 0) setTimeout(() => focusThread(number, tries - 1), 50)
}
