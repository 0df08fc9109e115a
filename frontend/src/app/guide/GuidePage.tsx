import { useQuery } from '@tanstack/react-query'
import { Fragment, type ReactNode, useEffect } from 'react'
import { type Block, blocksOf, sectionOf } from '../../logic/markdown'
import { guideOf } from '../../logic/view'
import { EmptyState } from '../../ui/EmptyState'
import { Markdown } from '../../ui/Markdown'
import { Prose } from '../../ui/Prose'
import { region } from '../regions'
import { useView } from '../url-state'
import { ViewLink } from '../ViewLink'
import styles from './guide.module.css'
import { GROUPS, imageOf, loadPage, targetOf } from './pages'

/** The documentation in the workbench: the list of its pages, with the sections of the open one, and that page. */
export default function GuidePage() {
  const { guide, section } = useView()
  const { data: text } = useQuery({
    queryKey: ['guide', guide ?? ''],
    queryFn: () => loadPage(guide ?? ''),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const [title, ...blocks] = text ? blocksOf(text) : []
  useEffect(() => {
    const target = section ? document.getElementById(section) : document.getElementById('content')
    target?.scrollIntoView({ block: 'start' })
    if (text && section) target?.focus({ preventScroll: true })
  }, [text, section])
  return (
    <div className={styles['guide']}>
      <nav className={styles['contents']} {...region('Pages of the guide')}>
        <Contents open={guide} blocks={blocks} />
      </nav>
      <main className={styles['page']} {...region('Guide')}>
        <article id="content" tabIndex={-1} className={styles['article']}>
          {guide === undefined ? (
            <Overview />
          ) : text === null ? (
            <>
              <h1 className="visually-hidden">Guide</h1>
              <EmptyState title={`The guide has no page ${guide}`}>
                <ViewLink to={guideOf()}>All pages</ViewLink>
              </EmptyState>
            </>
          ) : title?.kind === 'title' ? (
            <>
              <h1 className={styles['title']}>{title.text}</h1>
              <Markdown title={title.text} blocks={blocks} Link={GuideLink} imageOf={imageOf} />
            </>
          ) : null}
        </article>
      </main>
    </div>
  )
}

/** The pages by groups; below the open one its sections. */
function Contents({ open, blocks }: { open: string | undefined; blocks: readonly Block[] }) {
  return GROUPS.map((group) => (
    <div key={group.title}>
      <h2 className={styles['group']}>{group.title}</h2>
      <ul>
        {group.pages.map(({ name, title }) => (
          <li key={name}>
            <ViewLink to={guideOf(name)} aria-current={name === open ? 'page' : undefined}>
              {title}
            </ViewLink>
            {name === open ? (
              <ul className={styles['sections']}>
                {blocks.map((block) =>
                  block.kind === 'title' && block.level === 2 ? (
                    <li key={block.text}>
                      <ViewLink to={guideOf(name, sectionOf(block.text))}>
                        <Prose text={block.text} />
                      </ViewLink>
                    </li>
                  ) : null,
                )}
              </ul>
            ) : null}
          </li>
        ))}
      </ul>
    </div>
  ))
}

/** What one reads first, and what each page is about. */
function Overview() {
  return (
    <>
      <h1 className={styles['title']}>Guide</h1>
      <p className={styles['lead']}>
        PIQL is SQL whose compiler accepts a query only with a proof of how many requests it can ever make. The{' '}
        <ViewLink to={guideOf('tutorial')}>tutorial</ViewLink> shows it in six steps, with data that is there already.
      </p>
      {GROUPS.map((group) => (
        <Fragment key={group.title}>
          <h2 className={styles['heading']}>{group.title}</h2>
          <dl className={styles['list']}>
            {group.pages.map(({ name, title, about }) => (
              <div key={name}>
                <dt>
                  <ViewLink to={guideOf(name)}>{title}</ViewLink>
                </dt>
                <dd>
                  <Prose text={about} />
                </dd>
              </div>
            ))}
          </dl>
        </Fragment>
      ))}
    </>
  )
}

function GuideLink({ target, children }: { target: string; children: ReactNode }) {
  const { guide = '' } = useView()
  const leads = targetOf(guide, target)
  switch (leads.kind) {
    case 'guide':
      return <ViewLink to={guideOf(leads.page || undefined, leads.section)}>{children}</ViewLink>
    case 'code':
      return <ViewLink to={{ code: leads.code }}>{children}</ViewLink>
    case 'address':
      return (
        <a href={leads.href} target="_blank" rel="noreferrer">
          {children}
        </a>
      )
    case 'none':
      return children
  }
}
