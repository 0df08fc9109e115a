/** The carets and selections of the others, each with its name, which is shown for a while after it has moved. */
import { createAbsolutePositionFromRelativePosition, createRelativePositionFromJSON } from 'yjs'
import type { LiveSession } from '../../live/session'
import { othersOf, type Participant } from '../../logic/together'
import { editor } from '../monaco'
import { rangeBetween } from './shown-model'

const NAME_SHOWN_MS = 4000
const RESTS = 'piql-caret-name-rests'

export interface Carets {
  draw(session: LiveSession | null): void
  dispose(): void
}

interface Caret {
  anchor: number
  head: number
}

export function createCarets(code: editor.IStandaloneCodeEditor): Carets {
  const decorations = code.createDecorationsCollection()
  const names = new Map<number, NameWidget>()
  const keepNames = (clients: ReadonlySet<number>) => {
    for (const [client, name] of names) {
      if (clients.has(client)) continue
      name.remove()
      names.delete(client)
    }
  }
  const draw = (session: LiveSession | null) => {
    const model = code.getModel()
    if (!session?.isLive || !model) {
      decorations.clear()
      keepNames(new Set())
      return
    }
    const others = othersOf(session.awareness.getStates(), session.doc.clientID).flatMap((other) => {
      const caret = caretOf(session, other.client)
      return caret ? [{ other, caret }] : []
    })
    const drawn: editor.IModelDeltaDecoration[] = []
    const shown = new Set<number>()
    for (const { other, caret } of others) {
      shown.add(other.client)
      drawn.push(...decorationsOf(model, caret, other))
      const widget = names.get(other.client) ?? new NameWidget(code, other)
      names.set(other.client, widget)
      widget.show(model.getPositionAt(caret.head), other)
    }
    decorations.set(drawn)
    keepNames(shown)
  }
  return { draw, dispose: () => keepNames(new Set()) }
}

/** Where somebody's caret is in the text of now; null where they have said none, or none that is in it. */
function caretOf(session: LiveSession, client: number): Caret | null {
  const state = session.awareness.getStates().get(client) as { anchor?: unknown; head?: unknown } | undefined
  const anchor = indexOf(session, state?.anchor)
  const head = indexOf(session, state?.head)
  return anchor === null || head === null ? null : { anchor, head }
}

function indexOf(session: LiveSession, position: unknown): number | null {
  if (typeof position !== 'object' || position === null) return null
  try {
    const found = createAbsolutePositionFromRelativePosition(createRelativePositionFromJSON(position), session.doc)
    return found?.type === session.text ? found.index : null
  } catch {
    return null // another program may have said anything
  }
}

function decorationsOf(
  model: editor.ITextModel,
  { anchor, head }: Caret,
  { colour }: Participant,
): editor.IModelDeltaDecoration[] {
  const caret = {
    range: rangeBetween(model, head, head),
    options: { className: `piql-caret piql-caret-${colour}`, stickiness: NEVER_GROWS, zIndex: 2 },
  }
  if (anchor === head) return [caret]
  const range = rangeBetween(model, Math.min(anchor, head), Math.max(anchor, head))
  return [{ range, options: { className: `piql-others-selection piql-caret-${colour}` } }, caret]
}

const NEVER_GROWS = editor.TrackedRangeStickiness.NeverGrowsWhenTypingAtEdges

class NameWidget implements editor.IContentWidget {
  readonly allowEditorOverflow = false
  private readonly element = document.createElement('div')
  private position: { lineNumber: number; column: number } | null = null
  private timer: ReturnType<typeof setTimeout> | undefined
  /** The colour and the name that it has. */
  private drawn = ''

  constructor(
    private readonly code: editor.IStandaloneCodeEditor,
    private readonly other: Participant,
  ) {
    this.element.setAttribute('aria-hidden', 'true') // the bar names everybody
    code.addContentWidget(this)
  }

  getId(): string {
    return `piql.caret.${this.other.client}`
  }

  getDomNode(): HTMLElement {
    return this.element
  }

  getPosition(): editor.IContentWidgetPosition | null {
    const { ABOVE, BELOW } = editor.ContentWidgetPositionPreference
    return this.position && { position: this.position, preference: [ABOVE, BELOW] }
  }

  show(position: { lineNumber: number; column: number }, { name, colour }: Participant): void {
    const drawn = `${colour} ${name}`
    if (drawn !== this.drawn) {
      this.drawn = drawn
      this.element.className = `piql-caret-name piql-caret-${colour}`
      this.element.textContent = name
      if (this.position && this.timer === undefined) this.element.classList.add(RESTS)
    }
    if (position.lineNumber === this.position?.lineNumber && position.column === this.position.column) return
    this.position = position
    this.element.classList.remove(RESTS)
    clearTimeout(this.timer)
    this.timer = setTimeout(() => {
      this.timer = undefined
      this.element.classList.add(RESTS)
    }, NAME_SHOWN_MS)
    this.code.layoutContentWidget(this)
  }

  remove(): void {
    clearTimeout(this.timer)
    this.code.removeContentWidget(this)
  }
}
