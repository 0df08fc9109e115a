import type { FileChange } from '../logic/deploy-state'
import { diffLines, hunks } from '../logic/line-diff'
import styles from './text-diff.module.css'

const SIGNS = { same: ' ', added: '+', removed: '−' }

/** The changed lines of files with a few lines around them: `−` before, `+` after. */
export function TextDiff({ files }: { files: readonly FileChange[] }) {
  return files.map(({ path, before, after }) => (
    <figure key={path} className={styles['diff']}>
      <figcaption>{path}</figcaption>
      {/* Focusable, so that the keyboard can scroll wide lines. */}
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
