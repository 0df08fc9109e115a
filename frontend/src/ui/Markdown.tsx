import type { ComponentType, ReactNode } from 'react'
import { type Block, type Span, sectionOf } from '../logic/markdown'
import styles from './markdown.module.css'
import { Prose } from './Prose'
import { Cell, Table, unseen } from './Table'

interface MarkdownProps {
  /** Names the tables of the page for screen readers, with a number. */
  title: string
  blocks: readonly Block[]
  /** Draws a link; the target is as it is written. */
  Link: ComponentType<{ target: string; children: ReactNode }>
  /** The address of an image, by its written target; undefined if there is none. */
  imageOf?: (target: string) => string | undefined
}

/** A page of the documentation. Titles of the second level have the ids that links to sections name. */
export function Markdown({ title, blocks, Link, imageOf }: MarkdownProps) {
  const draw = (spans: readonly Span[]) => spans.map((span, index) => inLine(span, `${index}:${span.text}`, Link))
  return (
    <div className={styles['page']}>
      {blocks.map((block, index) => {
        const key = `${index}:${block.kind}`
        switch (block.kind) {
          case 'title':
            return <Title key={key} level={block.level} text={block.text} />
          case 'paragraph':
            return <p key={key}>{draw(block.spans)}</p>
          case 'list': {
            const List = block.isOrdered ? 'ol' : 'ul'
            return (
              <List key={key}>
                {block.items.map((item) => (
                  <li key={JSON.stringify(item)}>{draw(item)}</li>
                ))}
              </List>
            )
          }
          case 'image':
            return <img key={key} src={imageOf?.(block.target)} alt={block.text} loading="lazy" />
          case 'code':
            return (
              // Focusable, so that the keyboard can scroll a wide example.
              // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
              <pre key={key} tabIndex={0} data-refused={block.language.includes('refused')}>
                {block.text}
              </pre>
            )
          case 'table':
            return (
              <Table
                key={key}
                label={`${title}, ${index}`}
                columns={block.head.map((head) => plain(head) || unseen('Row'))}
              >
                {block.rows.map((row) => (
                  <tr key={JSON.stringify(row)}>
                    {row.map((cell, column) => (
                      <Cell key={`${column}:${JSON.stringify(cell)}`}>{draw(cell)}</Cell>
                    ))}
                  </tr>
                ))}
              </Table>
            )
        }
      })}
    </div>
  )
}

function Title({ level, text }: { level: number; text: string }) {
  const Level = level <= 2 ? 'h2' : 'h3'
  return (
    <Level id={sectionOf(text)} tabIndex={-1}>
      <Prose text={text} />
    </Level>
  )
}

function inLine(span: Span, key: string, Link: MarkdownProps['Link']): ReactNode {
  switch (span.kind) {
    case 'code':
      return <code key={key}>{span.text}</code>
    case 'emphasis':
      return <em key={key}>{span.text}</em>
    case 'strong':
      return <strong key={key}>{span.text}</strong>
    case 'link':
      return (
        <Link key={key} target={span.target ?? ''}>
          {span.text}
        </Link>
      )
    case 'text':
      return span.text
  }
}

function plain(spans: readonly Span[]): string {
  return spans.map(({ text }) => text).join('')
}
