/**
 * The live sessions of the editor: one for the file that is shown, and those of files shown before that have something
 * to save. Loaded after the editor, which shows and saves texts without it.
 */
import { createRelativePositionFromTypeIndex, relativePositionToJSON } from 'yjs'
import { follow, tellTogether, useTogether } from '../../app/together'
import { currentView, onView, setView } from '../../app/url-state'
import { documentAt, pathsToMerge, useDocuments } from '../../documents/documents'
import { tab } from '../../documents/tab'
import { LiveSession } from '../../live/session'
import { spaced } from '../../live/spaced'
import { guestName, othersOf } from '../../logic/together'
import { openModel } from '../models'
import { editor } from '../monaco'
import { createCarets } from './carets'
import { bindModel } from './shown-model'
import './live.css'

/** After so long, a page without a live session tries again. */
const AGAIN_MS = 15_000
/** Where the caret is, is told so often at most. */
const TELL_MS = 100
/** Whoever is followed comes to the next file within this time, or has left. */
const COMING_MS = 10_000

export interface LiveEditing {
  /** The editor shows another file. */
  show(path: string): void
  dispose(): void
}

const sessions = new Map<string, LiveSession>()
/** Hears of changes of any session; one editor at a time. */
let onSession: (path: string, isRefused: boolean) => void = () => undefined

function sessionOf(path: string): LiveSession | null {
  const { application } = useDocuments.getState()
  const open = sessions.get(path)
  if (open?.application === application) return open ?? null
  if (application === null) return null
  const session = new LiveSession(application, path, {
    onChange: () => onSession(path, false),
    onOver: (isRefused) => {
      if (sessions.get(path) === session) sessions.delete(path)
      onSession(path, isRefused)
    },
  })
  session.awareness.setLocalState({ name: guestName(session.doc.clientID), tab })
  sessions.set(path, session)
  return session
}

/** Lets an editor take part in the live session of each file that it shows. */
export function createLiveEditing(code: editor.IStandaloneCodeEditor): LiveEditing {
  const carets = createCarets(code)
  let shown: string | null = null
  let again: ReturnType<typeof setTimeout> | undefined
  let leaving: ReturnType<typeof setTimeout> | undefined

  const current = () => (shown === null ? undefined : sessions.get(shown))
  const join = (path: string) => {
    const model = openModel(path)
    const session = model && sessionOf(path)
    if (!session) return
    session.attach(() => bindModel(session, code, model, (offset) => goTo(model.getPositionAt(offset))))
    tell()
    publish()
  }
  const goTo = (position: { lineNumber: number; column: number }) => {
    code.setPosition(position)
    code.revealPositionInCenterIfOutsideViewport(position)
  }
  const telling = spaced(TELL_MS, () => {
    const session = current()
    const selection = code.getSelection()
    const model = code.getModel()
    if (!session || !selection || !model) return
    const positionOf = (lineNumber: number, column: number) =>
      relativePositionToJSON(
        // -1: it stays behind the character before it, as the caret does (logic/text-changes.ts).
        createRelativePositionFromTypeIndex(session.text, model.getOffsetAt({ lineNumber, column }), -1),
      )
    const state = {
      name: guestName(session.doc.clientID),
      tab,
      query: currentView().query ?? null,
      top: code.getVisibleRanges()[0]?.startLineNumber ?? 1,
      ...(session.isLive
        ? {
            anchor: positionOf(selection.selectionStartLineNumber, selection.selectionStartColumn),
            head: positionOf(selection.positionLineNumber, selection.positionColumn),
          }
        : {}),
    }
    if (JSON.stringify(state) !== JSON.stringify(session.awareness.getLocalState()))
      session.awareness.setLocalState(state)
  })
  const tell = telling.ask
  const publish = () => {
    const session = current()
    const present = session ? othersOf(session.awareness.getStates(), session.doc.clientID) : []
    // Until the text here is that of the session, what is typed is in front of nobody else.
    const others = session?.isLive ? present.filter((other) => !other.goesTo) : []
    const isReader = session?.isConnected === true && !session.mayWrite
    const state = session?.isConnected ? 'live' : session?.isLive ? 'away' : 'off'
    const before = useTogether.getState()
    if (state !== 'off' || before.state !== 'refused' || before.path !== shown)
      tellTogether({ path: shown, state, mayWrite: !isReader, others })
    if (isReader !== code.getOption(editor.EditorOption.readOnly))
      code.updateOptions({ readOnly: isReader, readOnlyMessage: { value: READ_ONLY } })
    carets.draw(session ?? null)
    goAlong(present)
  }
  const goAlong = (others: ReturnType<typeof othersOf>) => {
    const { following } = useTogether.getState()
    const followed = others.find((other) => other.tab === following)
    if (following === null || followed) {
      clearTimeout(leaving)
      leaving = undefined
    } else leaving ??= setTimeout(() => follow(null), COMING_MS)
    if (!followed) return
    if (followed.goesTo !== null) {
      if (documentAt(followed.goesTo)) setView({ file: followed.goesTo })
    } else if (followed.top !== null) code.setScrollTop(code.getTopForLineNumber(followed.top))
  }
  const stopFollowing = () => {
    if (useTogether.getState().following !== null) follow(null)
  }
  onSession = (path, isRefused) => {
    const session = sessions.get(path)
    if (session?.isLive && path === shown && !session.awareness.getLocalState()?.['head']) tell()
    if (path === shown) publish()
    if (session || path !== shown) return
    if (isRefused) useTogether.setState({ path, state: 'refused', others: [] })
    clearTimeout(again)
    again = setTimeout(() => shown !== null && join(shown), AGAIN_MS)
  }
  const listeners = [
    code.onDidChangeCursorSelection(tell),
    code.onDidScrollChange(tell),
    code.onKeyDown(stopFollowing),
    code.onDidChangeModelContent(() => useTogether.getState().others.length > 0 && carets.draw(current() ?? null)),
  ]
  const node = code.getDomNode()
  node?.addEventListener('wheel', stopFollowing, { passive: true })
  const stopView = onView(tell)
  const stopFollow = useTogether.subscribe((state, previous) => {
    if (state.following !== previous.following) publish()
  })
  for (const path of pathsToMerge()) {
    join(path)
    sessions.get(path)?.retire()
  }

  return {
    show: (path) => {
      if (path === shown) return
      const left = current()
      shown = path
      if (left) {
        left.awareness.setLocalState({ ...left.awareness.getLocalState(), goesTo: path })
        left.retire()
      }
      clearTimeout(again)
      join(path)
      publish()
    },
    dispose: () => {
      onSession = () => undefined
      clearTimeout(again)
      telling.stop()
      clearTimeout(leaving)
      stopView()
      stopFollow()
      for (const listener of listeners) listener.dispose()
      node?.removeEventListener('wheel', stopFollowing)
      carets.dispose()
      // Whoever is followed still is where only the layout has changed, and the editor is made anew.
      useTogether.setState({ path: null, state: 'off', mayWrite: true, others: [] })
      for (const session of [...sessions.values()]) {
        session.detach()
        session.retire()
      }
    },
  }
}

const READ_ONLY = 'You look on: to edit this file needs the role developer.'
