import { useId, useState } from 'react'
import { foundTable } from '../../logic/diagram-keys'
import styles from './diagram.module.css'

interface FindTableProps {
  names: readonly string[]
  onFind: (name: string) => void
}

/** A field that goes to the table whose name is typed or begun in it. */
export function FindTable({ names, onFind }: FindTableProps) {
  const [typed, setTyped] = useState('')
  const id = useId()
  const go = (text: string) => {
    const name = foundTable(names, text)
    if (name === undefined) return
    onFind(name)
    setTyped('')
  }
  return (
    <div className={styles['find']}>
      <input
        type="search"
        aria-label="Find a table"
        placeholder="Find a table"
        list={id}
        spellCheck={false}
        autoComplete="off"
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value)
          // A choice from the list arrives as a whole name, not key by key.
          if (names.includes(target.value) && target.value.length - typed.length > 1) go(target.value)
        }}
        onKeyDown={(event) => {
          event.stopPropagation() // the keys of the diagram are letters here
          if (event.key !== 'Enter') return
          event.preventDefault() // or the same key would press the table that has the focus now
          go(typed)
        }}
      />
      <datalist id={id}>
        {names.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </datalist>
    </div>
  )
}
