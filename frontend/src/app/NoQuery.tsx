import type { ReactNode } from 'react'
import { repeatedText, repeatedTitle } from '../logic/repeated-query'
import { Button } from '../ui/Button'
import { EmptyState } from '../ui/EmptyState'
import { selectQuery, useRepeatedQuery } from './selection'
import { useShownAnswer } from './shown-compilation'

/**
 * What a panel about the current query shows without one: that the text is not compiled yet, how to choose one, or which
 * one the caret is in and why it has no plan.
 */
export function NoQuery({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  const repeated = useRepeatedQuery()
  const { compilation, error } = useShownAnswer()
  if (!compilation) return <NotCompiled error={error} />
  if (!repeated) {
    return (
      <EmptyState icon={icon} title="No query is selected">
        {children}
      </EmptyState>
    )
  }
  return (
    <EmptyState
      icon={icon}
      title={repeatedTitle(repeated)}
      actions={<Button onClick={() => selectQuery(repeated.name, { isFocused: true })}>Show the first one</Button>}
    >
      {repeatedText(repeated)}
    </EmptyState>
  )
}

/** What a panel shows before the first compilation of the text, or why there is none. */
export function NotCompiled({ error }: { error: string | null }) {
  return error ? <EmptyState title="Not compiled">{error}</EmptyState> : <EmptyState title="Compiling…" />
}
