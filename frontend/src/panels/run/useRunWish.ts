/**
 * Answers a wish to run a query (app/run-request.ts) once: the form runs it, or takes the focus and shows the values
 * first. `answerToKey` in logic/current-query.ts decides which.
 */
import { type RefObject, useEffect, useRef, useState } from 'react'
import { dropRunWish, useRunWish as useWish } from '../../app/run-request'
import { answerToKey, READING_MS } from '../../logic/current-query'
import type { Typed } from '../../logic/parameters'

interface WishedForm {
  form: RefObject<HTMLFormElement | null>
  query: string
  isWrite: boolean
  /** Whether the sample values have arrived, so that `values` will not change by themselves. */
  isReady: boolean
  values: Readonly<Record<string, Typed>>
  run: () => void
}

/** What the form tells the hook, and whether it says that nothing has run yet. */
interface Answer {
  /** Whether the form was shown in answer to a wish, and nothing has run since. */
  isShown: boolean
  /** To be called when a field takes the focus: the reader has seen the values. */
  onSeen: () => void
  onTyped: (parameter: string, text: Typed) => void
  onRun: () => void
}

export function useRunWish({ form, query, isWrite, isReady, values, run }: WishedForm): Answer {
  const wish = useWish((state) => state.wish)
  const [seen, setSeen] = useState<Readonly<Record<string, Typed>> | null>(null) // the values that the reader has seen
  const [isShown, setShown] = useState(false)
  const shownAt = useRef(-Infinity) // when a key has shown the values, by `performance.now()`
  const answer = useRef<() => void>(() => undefined)
  useEffect(() => {
    answer.current = () => {
      if (!wish) return
      dropRunWish()
      const now = performance.now()
      if (answerToKey({ ...wish, isWrite, seen, values, shownMs: now - shownAt.current }) === 'run') {
        setShown(false)
        run()
        return
      }
      if (!wish.isFromForm || now - shownAt.current >= READING_MS) shownAt.current = now
      setSeen(values)
      setShown(true)
      form.current
        ?.querySelector<HTMLElement>('[data-fields] :is(input, select, textarea), button[type=submit]')
        ?.focus()
    }
  })
  useEffect(() => {
    if (isReady && wish?.query === query) answer.current()
  }, [wish, isReady, query])
  return {
    isShown,
    onSeen: () => isReady && setSeen(values),
    onTyped: (parameter, text) => {
      shownAt.current = -Infinity
      setSeen((before) => before && { ...before, [parameter]: text })
    },
    onRun: () => setShown(false),
  }
}

/** Drops any wish, for a panel without a form, so that it does not run once there is one. */
export function useNoRunWish(): void {
  const wish = useWish((state) => state.wish)
  useEffect(() => {
    if (wish) dropRunWish()
  }, [wish])
}
