import styles from './app.module.css'
import { editor } from './editor-bridge'
import { useView } from './url-state'

/** The first stop of the keyboard: past the header and the lists, to what the page is for. */
export function SkipLink() {
  const { page } = useView()
  const isWorkbench = page === 'workbench'
  return (
    <a
      className={styles['skip']}
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
