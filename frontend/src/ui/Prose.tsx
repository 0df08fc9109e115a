import { Fragment } from 'react'

/** A text of the server; parts between backticks are set as code. */
export function Prose({ text }: { text: string }) {
  return text
    .split('`')
    .map((part, index) => <Fragment key={`${index}:${part}`}>{index % 2 === 1 ? <code>{part}</code> : part}</Fragment>)
}
