import type { AnchorHTMLAttributes } from 'react'
import type { View } from '../logic/view'
import { hrefTo, setView, useView } from './url-state'

/** A link that moves within the page; with a modifier key it opens as any link does. */
export function ViewLink({ to, children, ...rest }: { to: Partial<View> } & AnchorHTMLAttributes<HTMLAnchorElement>) {
  useView() // draws the link again when the view changes, because `href` holds the rest of the view
  return (
    <a
      href={hrefTo(to)}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return
        event.preventDefault()
        setView(to)
      }}
      {...rest}
    >
      {children}
    </a>
  )
}
