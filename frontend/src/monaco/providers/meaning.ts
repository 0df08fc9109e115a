/** When Monaco shall ask again what the words of a file mean, although no key was pressed in it. */
import { useCompilationState } from '../../documents/compile-loop'
import { isAsked } from './words'

/** So long no compilation has followed: Monaco asks that often by itself about a file that is typed in. */
const REST_MS = 400

/**
 * Calls back some time after compilations, until the returned function is called: what a word means may change when
 * another file does. Where the words of all files that are `shown` were asked for already, nobody is called.
 */
export function onMeaning(shown: () => readonly string[], listener: () => void): () => void {
  let rest: ReturnType<typeof setTimeout> | undefined
  const look = () => {
    const { files } = useCompilationState.getState()
    if (shown().some((path) => !isAsked(path, files))) listener()
  }
  const stop = useCompilationState.subscribe((state, previous) => {
    if (state.compilation === previous.compilation) return
    clearTimeout(rest)
    rest = setTimeout(look, REST_MS)
  })
  return () => {
    stop()
    clearTimeout(rest)
  }
}
