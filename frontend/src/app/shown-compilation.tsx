/**
 * The compilation that the panels show. It follows the compiler's last answer as soon as nothing more urgent is to do:
 * among hundreds of queries a key changes hundreds of rows, and the next key does not wait until they are drawn.
 *
 *     answer ──▶ editor: squiggles and lenses, at once
 *        └─────▶ panels: in the background; an answer that is older than the next one need not be drawn
 *
 * What acts on the text (deploying, saving, the current query) asks `useCompilationState` itself.
 */
import { createContext, type ReactNode, useContext, useDeferredValue } from 'react'
import { type CompilationState, useCompilationState } from '../documents/compile-loop'

const Shown = createContext<CompilationState>(useCompilationState.getInitialState())

/** Gives its children the compilation that is shown. */
export function ShownCompilation({ children }: { children: ReactNode }) {
  const answer = useCompilationState()
  return <Shown value={useDeferredValue(answer)}>{children}</Shown>
}

/** The answer of the compiler that the panels show, whole: its parts belong together. */
export function useShownAnswer(): CompilationState {
  return useContext(Shown)
}
