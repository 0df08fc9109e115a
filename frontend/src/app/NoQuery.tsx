import type { ReactNode } from 'react'
import { repeatedText, repeatedTitle } from '../logic/repeated-query'
import { Button } from '../ui/Button'
import { EmptyState } from '../ui/EmptyState'
import { selectQuery, useRepeatedQuery } from './selection'

/** What a panel about the current query shows without one: how to choose one, or which one the caret is in and why it has no plan. */
export function NoQuery({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  const repeated = useRepeatedQuery()
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
