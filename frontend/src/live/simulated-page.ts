/** One person's page as a test plays it: its own documents, drafts and editor; its socket is the test's. */
import { vi } from 'vitest'
import type { TextChange } from '../logic/rebased-change'
import { changed, type Selection } from '../logic/text-changes'
import type { ShownText } from './binding'
import type { LiveSession } from './session'

const PATH = 'queries/findUser.piql'

type Modules = Awaited<ReturnType<typeof modulesOfItsOwn>>

/** A person with a browser; `open` opens the page. */
export class SimulatedPage {
  editor: SimulatedEditor | null = null
  session: LiveSession | null = null

  private constructor(
    readonly name: string,
    private readonly modules: Modules,
  ) {}

  static async create(name: string): Promise<SimulatedPage> {
    return new SimulatedPage(name, await modulesOfItsOwn())
  }

  /** Opens the file, again after a reload: drafts are all that is left of what was typed before. */
  open(application: string, text: string, revision: string): void {
    const { documents } = this.modules
    this.session = null
    documents.useDocuments.setState({ application: null, files: [], version: 0, restored: [] })
    documents.openApplication(application, [{ path: PATH, text, revision }])
    this.show()
    this.session = new this.modules.LiveSession(application, PATH, {
      onChange: () => undefined,
      onOver: () => undefined,
    })
    this.session.awareness.setLocalState({ name: this.name })
    this.bind()
  }

  /** The editor is made anew, as a change of the layout does. */
  remakeEditor(): void {
    this.session?.detach()
    this.editor?.dispose()
    this.show()
    this.bind()
  }

  /** The page is gone, without a word. */
  leave(): void {
    const session = this.session
    if (!session) return
    this.editor?.dispose()
    this.modules.documents.useDocuments.setState({ application: null, files: [] })
    if (this.session) session.end(false)
    this.session = null
  }

  get saveState(): string | undefined {
    return this.modules.documents.documentAt(PATH)?.saveState
  }

  get documentText(): string | undefined {
    return this.modules.documents.documentAt(PATH)?.text
  }

  private show(): void {
    const { documents } = this.modules
    this.editor = new SimulatedEditor(documents.documentAt(PATH)?.text ?? '', (text) => documents.setText(PATH, text))
    const { editor } = this
    editor.onDispose = documents.useDocuments.subscribe(() => editor.take(documents.documentAt(PATH)?.text))
  }

  private bind(): void {
    const { session, editor } = this
    if (session && editor) session.attach(() => this.modules.bindText(session, editor))
  }
}

/** The modules that keep something, once for each person. */
async function modulesOfItsOwn() {
  const kept = new Map<string, string>()
  vi.resetModules()
  vi.doMock('../app/browser-storage', () => ({
    browserStorage: {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
      removeItem: (key: string) => void kept.delete(key),
      keys: () => [...kept.keys()],
    },
  }))
  const documents = await import('../documents/documents')
  const { LiveSession } = await import('./session')
  const { bindText } = await import('./binding')
  vi.doUnmock('../app/browser-storage')
  return { documents, LiveSession, bindText }
}

/** A text with a caret that does what Monaco does: an insertion at the caret by somebody else takes the caret with it. */
export class SimulatedEditor implements ShownText {
  onDispose: () => void = () => undefined
  selection: Selection = { anchor: 0, head: 0 }
  private common: string
  private onChange: ((changes: readonly TextChange[]) => void) | null = null

  constructor(
    private text: string,
    private readonly tell: (text: string) => void,
  ) {
    this.common = text
  }

  value = () => this.text
  selections = () => [this.selection]
  select = ([selection]: readonly Selection[]) => {
    if (selection) this.selection = selection
  }
  listen = (onChange: typeof this.onChange) => {
    this.onChange = onChange
  }

  replace = (changes: readonly TextChange[]) => {
    let { anchor, head } = this.selection
    for (const { start, end, text } of changes.toReversed()) {
      const shift = text.length - (end - start)
      if (anchor >= end) anchor += shift
      else if (anchor > start) anchor = start
      if (head >= end) head += shift
      else if (head > start) head = start
    }
    this.become(changed(this.text, changes), changes)
    this.selection = { anchor, head }
  }

  goBehind(words: string): void {
    const at = this.text.indexOf(words) + words.length
    this.selection = { anchor: at, head: at }
  }

  /** Presses a key, which replaces what is selected. */
  type(key: string): void {
    const start = Math.min(this.selection.anchor, this.selection.head)
    const end = Math.max(this.selection.anchor, this.selection.head)
    const change = { start, end, text: key }
    this.selection = { anchor: start + key.length, head: start + key.length }
    this.become(changed(this.text, [change]), [change])
  }

  /** Takes the text of its document, where that was changed by something else. */
  take(text: string | undefined): void {
    if (text === undefined || text === this.common) return
    this.common = text
    if (text !== this.text) this.replace([{ start: 0, end: this.text.length, text }])
  }

  dispose(): void {
    this.onDispose()
  }

  private become(text: string, changes: readonly TextChange[]): void {
    this.text = text
    this.onChange?.(changes)
    this.common = text
    this.tell(text)
  }
}
