import { Component, type ReactNode } from 'react'
import { Button } from './Button'
import { EmptyState } from './EmptyState'

interface PartBoundaryProps {
  children: ReactNode
}

/** Keeps a part that cannot be loaded or drawn from taking the others with it. */
export class PartBoundary extends Component<PartBoundaryProps, { isBroken: boolean }> {
  override state = { isBroken: false }

  static getDerivedStateFromError() {
    return { isBroken: true }
  }

  override render() {
    if (!this.state.isBroken) return this.props.children
    return (
      <div role="alert">
        <EmptyState
          title="This part could not be loaded"
          actions={
            <Button look="primary" onClick={() => location.reload()}>
              Reload the page
            </Button>
          }
        >
          The workbench may have been updated since the page was opened. What you typed is kept.
        </EmptyState>
      </div>
    )
  }
}
