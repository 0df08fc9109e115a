import type { FileChange } from '../logic/deploy-state'
import { diffLines, hunks } from '../logic/line-diff'
import styles from './text-diff.module.css'

const SIGNS = { same: ' ', added: '+', removed: '−' }

/** Files before and after, line by line; only what changes, with a little around it. */
export function TextDiff({ files }: { files: readonly FileChange[] }) {
  return files.map(({ path, before, after }) => (
    <figure key={path} className={styles['diff']}>
      <figcaption>{path}</figcaption>
      {/* Lines that are wider than the panel can be scrolled by the keyboard. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0}>
        {hunks(diffLines(before, after)).map((line, index) =>
          line === null ? (
            <span key={`gap-${index}`} className={styles['gap']}>
              {'⋯\n'}
            </span>
          ) : (
            <span key={`${index}:${line.text}`} data-kind={line.kind}>
              {`${SIGNS[line.kind]} ${line.text}\n`}
            </span>
          ),
        )}
      </pre>
    </figure>
  ))
}
