import styles from './app.module.css'
import { editor } from './editor-bridge'
import { useView } from './url-state'

/** The first element that Tab reaches: a link past header and sidebar to the editor, or to the content of other pages. */
export function SkipLink() {
  const { page } = useView()
  const isWorkbench = page === 'workbench'
  return (
    <a
      className={`seen-in-focus ${styles['skip']}`}
      href="#content"
      onClick={(event) => {
        event.preventDefault()
        if (isWorkbench && editor()) editor()?.focus()
        else document.getElementById('content')?.focus()
      }}
    >
      {isWorkbench ? 'Skip to the editor' : 'Skip to the content'}
    </a>
  )
}
