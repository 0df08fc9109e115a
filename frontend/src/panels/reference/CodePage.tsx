import type { ReactNode } from 'react'
import { setView } from '../../app/url-state'
import { ViewLink } from '../../app/ViewLink'
import { blocksOf } from '../../logic/markdown'
import { Dialog } from '../../ui/Dialog'
import { Markdown } from '../../ui/Markdown'
import { CONTENTS, pageOf } from './pages'

/** A dialog with the reference page of a diagnostic code: why it is raised, and an example before and after its fix. */
export default function CodePage({ code }: { code: string }) {
  const page = pageOf(code)
  const [title, ...blocks] = blocksOf(page ?? `# There is no page of ${code}`)
  return (
    <Dialog key={code} title={title?.kind === 'title' ? title.text : code} onClose={() => setView({ code: undefined })}>
      <Markdown title="Codes" blocks={blocks} Link={CodeLink} />
      {code === CONTENTS ? null : (
        <p>
          <ViewLink to={{ code: CONTENTS }}>All codes</ViewLink>
        </p>
      )}
    </Dialog>
  )
}

function CodeLink({ target, children }: { target: string; children: ReactNode }) {
  return <ViewLink to={{ code: target.replace(/\.md$/, '') }}>{children}</ViewLink>
}
