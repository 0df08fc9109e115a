import { Fragment } from 'react'

/** A sentence of the server, with what stands in backticks set as code. */
export function Prose({ text }: { text: string }) {
  return text
    .split('`')
    .map((part, index) => <Fragment key={`${index}:${part}`}>{index % 2 === 1 ? <code>{part}</code> : part}</Fragment>)
}
