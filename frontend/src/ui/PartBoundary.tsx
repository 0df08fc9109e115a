import { Component, type ReactNode } from 'react'
import { PartNotLoaded } from './PartNotLoaded'

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
    return <PartNotLoaded />
  }
}
