import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react'
import { session } from '../api/session'
import { useCompilationState } from '../documents/compile-loop'
import { useDocuments } from '../documents/documents'
import { Kbd } from '../ui/Kbd'
import { type Command, commands, matching } from './commands'
import type { Overlay } from './keys'
import styles from './palette.module.css'
import shortcutsStyles from './shortcuts.module.css'

/** A dialog that searches commands, queries, panels and files; Enter runs or opens the marked one. */
export default function Palette({ onClose, show }: { onClose: () => void; show: (overlay: Overlay) => void }) {
  const { compilation } = useCompilationState()
  const files = useDocuments((state) => state.files)
  const isTeam = useQuery(session).data?.is_team ?? false
  const [typed, setTyped] = useState('')
  const [active, setActive] = useState(0)
  const dialog = useRef<HTMLDialogElement>(null)
  const listId = useId()
  const shown = useMemo(
    () => matching(commands(compilation, files, show, isTeam), typed),
    [compilation, files, show, isTeam, typed],
  )

  useEffect(() => dialog.current?.showModal(), [])
  useEffect(() => {
    document.getElementById(`${listId}-${active}`)?.scrollIntoView({ block: 'nearest' })
  }, [active, listId])

  const choose = (command: Command | undefined) => {
    if (!command) return
    dialog.current?.close()
    command.run()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0 && shown.length > 0) setActive((active + step + shown.length) % shown.length)
    else if (event.key === 'Enter') choose(shown[active])
    else return
    event.preventDefault()
  }
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
    <dialog
      ref={dialog}
      className={styles['palette']}
      aria-label="Command palette"
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) dialog.current.close()
      }}
    >
      <input
        className={styles['paletteInput']}
        role="combobox"
        aria-label="Command"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={shown.length > 0 ? `${listId}-${active}` : undefined}
        placeholder="Go to a query, a file, a panel, or run a command"
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value)
          setActive(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div className={styles['paletteList']} id={listId} role="listbox" aria-label="Commands">
        {shown.map((command, index) => (
          // Only for the pointer: the input keeps the focus and handles the keys.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
          <div
            key={command.id}
            id={`${listId}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            className={styles['option']}
            onClick={() => choose(command)}
            onPointerMove={() => setActive(index)}
          >
            <CommandParts command={command} />
          </div>
        ))}
      </div>
      {shown.length === 0 ? <p className={styles['paletteEmpty']}>No command or file has this name.</p> : null}
    </dialog>
  )
}

/** The group, the title, and the detail or shortcut of one command. */
function CommandParts({ command }: { command: Command }) {
  return (
    <>
      <span className={styles['optionGroup']}>{command.group}</span>
      <span className={styles['optionTitle']}>{command.title}</span>
      {command.detail ? <span className={styles['optionDetail']}>{command.detail}</span> : null}
      {command.keys ? (
        <span className={shortcutsStyles['combo']}>
          {command.keys.split(' ').map((key) => (
            <Kbd key={key}>{key}</Kbd>
          ))}
        </span>
      ) : null}
    </>
  )
}
