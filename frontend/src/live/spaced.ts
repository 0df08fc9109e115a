/** Work that is asked for often and done at times: at once after a rest, and then no sooner than a while after the last. */

export interface Spaced {
  /** Asks for the work: it is done at the end of what runs now, or when its time has come. */
  ask(): void
  /** Whatever is asked for is not done any more. */
  stop(): void
}

/** Does `work` at most every `pauseMs`, the last time after whoever asked last. */
export function spaced(pauseMs: number, work: () => void): Spaced {
  let doneAt = Number.NEGATIVE_INFINITY
  let isAsked = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const act = () => {
    if (!isAsked) return
    isAsked = false
    doneAt = performance.now()
    work()
  }
  return {
    ask: () => {
      if (isAsked) return
      isAsked = true
      const restMs = doneAt + pauseMs - performance.now()
      if (restMs <= 0) queueMicrotask(act)
      else timer = setTimeout(act, restMs)
    },
    stop: () => {
      isAsked = false
      clearTimeout(timer)
    },
  }
}
