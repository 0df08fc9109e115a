import { Component, type ReactNode } from 'react'
import { Button } from './Button'
import { EmptyState } from './EmptyState'

interface PartBoundaryProps {
  children: ReactNode
}

/** Shows a message in place of its children if they cannot be loaded or drawn, so that the rest of the page goes on. */
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
