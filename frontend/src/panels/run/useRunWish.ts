/** Answers the wish to run a query, once: runs it, or shows its form first. */
import { type RefObject, useEffect, useRef, useState } from 'react'
import { dropRunWish, useRunWish as useWish } from '../../app/run-request'
import { answerToKey } from '../../logic/current-query'
import type { Typed } from '../../logic/parameters'

interface WishedForm {
  form: RefObject<HTMLFormElement | null>
  query: string
  isWrite: boolean
  /** Whether the values are those that stay, samples included. */
  isReady: boolean
  values: Readonly<Record<string, Typed>>
  run: () => void
}

interface Answer {
  /** The form was brought into sight by a key, and has not run since. */
  isShown: boolean
  /** A field of the form has the focus: what it shows is looked at. */
  onSeen: () => void
  onTyped: (parameter: string, text: Typed) => void
  onRun: () => void
}

export function useRunWish({ form, query, isWrite, isReady, values, run }: WishedForm): Answer {
  const wish = useWish((state) => state.wish)
  const [seen, setSeen] = useState<Readonly<Record<string, Typed>> | null>(null)
  const [isShown, setShown] = useState(false)
  const answer = useRef<() => void>(() => undefined)
  useEffect(() => {
    answer.current = () => {
      if (!wish) return
      dropRunWish()
      if (answerToKey({ ...wish, isWrite, seen, values }) === 'run') {
        setShown(false)
        run()
        return
      }
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
    onTyped: (parameter, text) => setSeen((before) => before && { ...before, [parameter]: text }),
    onRun: () => setShown(false),
  }
}

/** For a panel that has no form to answer it with: the wish does not wait until there is one. */
export function useNoRunWish(): void {
  const wish = useWish((state) => state.wish)
  useEffect(() => {
    if (wish) dropRunWish()
  }, [wish])
}
