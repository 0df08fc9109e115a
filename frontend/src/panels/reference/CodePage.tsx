import { setView } from '../../app/url-state'
import { ViewLink } from '../../app/ViewLink'
import { blocksOf, type Span } from '../../logic/markdown'
import { Dialog } from '../../ui/Dialog'
import { Cell, Table } from '../../ui/Table'
import { CONTENTS, pageOf } from './pages'
import styles from './reference.module.css'

/** A dialog with the reference page of a diagnostic code: why it is raised, and an example before and after its fix. */
export default function CodePage({ code }: { code: string }) {
  const page = pageOf(code)
  const [title, ...blocks] = blocksOf(page ?? `# There is no page of ${code}`)
  return (
    <Dialog key={code} title={title?.kind === 'title' ? title.text : code} onClose={() => setView({ code: undefined })}>
      <div className={styles['page']}>
        {blocks.map((block, index) => {
          const key = `${index}:${block.kind}`
          switch (block.kind) {
            case 'title':
              return <h3 key={key}>{block.text}</h3>
            case 'paragraph':
              return (
                <p key={key}>
                  <Spans spans={block.spans} />
                </p>
              )
            case 'list':
              return (
                <ul key={key}>
                  {block.items.map((item) => (
                    <li key={JSON.stringify(item)}>
                      <Spans spans={item} />
                    </li>
                  ))}
                </ul>
              )
            case 'code':
              return (
                // Focusable, so that the keyboard can scroll a wide example.
                // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
                <pre key={key} tabIndex={0} data-refused={block.language.endsWith('refused')}>
                  {block.text}
                </pre>
              )
            case 'table':
              return (
                <Table
                  key={key}
                  label={`Codes, ${index}`}
                  columns={block.head.map((cell) => cell.map((span) => span.text).join(''))}
                >
                  {block.rows.map((row) => (
                    <tr key={JSON.stringify(row)}>
                      {row.map((cell, column) => (
                        <Cell key={`${column}:${JSON.stringify(cell)}`}>
                          <Spans spans={cell} />
                        </Cell>
                      ))}
                    </tr>
                  ))}
                </Table>
              )
          }
        })}
        {code === CONTENTS ? null : (
          <p>
            <ViewLink to={{ code: CONTENTS }}>All codes</ViewLink>
          </p>
        )}
      </div>
    </Dialog>
  )
}

function Spans({ spans }: { spans: readonly Span[] }) {
  return spans.map((span, index) => {
    const key = `${index}:${span.text}`
    switch (span.kind) {
      case 'code':
        return <code key={key}>{span.text}</code>
      case 'emphasis':
        return <em key={key}>{span.text}</em>
      case 'link':
        return (
          <ViewLink key={key} to={{ code: (span.target ?? '').replace(/\.md$/, '') }}>
            {span.text}
          </ViewLink>
        )
      case 'text':
        return span.text
    }
  })
}
