import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { session } from '../../api/session'
import { useLiveOperations } from '../../app/live-operations'
import { usePredictions } from '../../app/predictions'
import { useSelectedQuery } from '../../app/selection'
import { useThreads } from '../../app/threads'
import { takesPart } from '../../app/together'
import { useView } from '../../app/url-state'
import { findNode } from '../../logic/plan-tree'
import { createPiqlEditor, type PiqlEditor } from '../../monaco/piql-editor'
import styles from './editor.module.css'

/** Monaco as a React component, loaded when it is first needed. Escape moves the focus to a text behind the editor. */
export default function CodeEditor({ path }: { path: string }) {
  const container = useRef<HTMLDivElement>(null)
  const behind = useRef<HTMLParagraphElement>(null)
  const code = useRef<PiqlEditor | null>(null)
  const live = useLiveOperations()
  const predictions = usePredictions()
  const selected = useSelectedNodeRange()
  const { data: who } = useQuery(session)
  const threads = useThreads()

  useEffect(() => {
    if (!container.current) return undefined
    code.current = createPiqlEditor(container.current, () => behind.current?.focus())
    return () => {
      code.current?.dispose()
      code.current = null
    }
  }, [])
  useEffect(() => {
    if (who && takesPart(who.is_team)) code.current?.editTogether()
  }, [who])
  useEffect(() => code.current?.show(path), [path])
  useEffect(() => {
    code.current?.annotate({ estimates: predictions, live, selected })
  }, [predictions, live, selected])
  useEffect(() => code.current?.showThreads(threads), [threads])

  return (
    <>
      <div ref={container} className={styles['code']} />
      <p ref={behind} className={`seen-in-focus ${styles['behind']}`} tabIndex={-1}>
        Left the editor. Tab goes on, Shift Tab goes back.
      </p>
    </>
  )
}

/** The range of the text of the plan node that the URL names. */
function useSelectedNodeRange() {
  const { node, stage } = useView()
  const query = useSelectedQuery()
  const plan = query?.stages.find((compiledStage) => compiledStage.name === stage)?.plan ?? query?.stages.at(-1)?.plan
  const chosenNode = plan && node ? findNode(plan, node) : undefined
  return (chosenNode?.range as NonNullable<typeof query>['range'] | undefined) ?? null
}
