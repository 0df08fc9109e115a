import { Dialog } from '../ui/Dialog'
import { Kbd } from '../ui/Kbd'
import { SHORTCUTS, type Shortcut } from './keys'
import styles from './shortcuts.module.css'

const GROUPS: readonly Shortcut['group'][] = ['Workbench', 'Editor', 'Plan, diagram and heatmap']

/** The list of all keyboard shortcuts, by group. */
export function Shortcuts({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <div className={styles['sheet']}>
        {GROUPS.map((group) => (
          <section key={group} aria-label={group}>
            <h3 className={styles['sheetTitle']}>{group}</h3>
            <dl>
              {SHORTCUTS.filter((shortcut) => shortcut.group === group).map((shortcut) => (
                <div key={shortcut.does} className={styles['sheetRow']}>
                  <dt>{shortcut.does}</dt>
                  <dd>
                    {shortcut.keys.map((keys) => (
                      <span key={keys} className={styles['combo']}>
                        {keys.split(' ').map((key) => (
                          <Kbd key={key}>{key}</Kbd>
                        ))}
                      </span>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}
