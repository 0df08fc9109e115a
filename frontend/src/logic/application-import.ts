/** What the preview of an import says in one sentence. */
import { plural } from '../units'

interface Staged {
  files: readonly { characters: number }[]
  saves: number
  environments: readonly unknown[]
}

/** `13 files, 12 kB; 40 saves and 2 environments come along.` */
export function importFacts({ files, saves, environments }: Staged): string {
  const characters = files.reduce((sum, file) => sum + file.characters, 0)
  const along = [
    saves > 0 ? plural(saves, 'save') : '',
    environments.length > 0 ? plural(environments.length, 'environment') : '',
  ].filter((part) => part !== '')
  const size = characters < 1000 ? plural(characters, 'character') : `${Math.round(characters / 1000)} kB`
  return `${plural(files.length, 'file')}, ${size}${along.length > 0 ? `; ${along.join(' and ')} come along` : ''}.`
}
