/** Puts work off until the next frame is painted, so that a key is seen before what follows from it is worked out. */

/** After so long it is done without a frame: a tab that is not looked at has none. */
const LONGEST_MS = 200

const waiting = new Map<string, () => void>()

/** Does `work` after the next frame; work of the same `name` that still waits is replaced by it. */
export function afterPaint(name: string, work: () => void): void {
  if (!('requestAnimationFrame' in globalThis)) {
    work()
    return
  }
  const isPlanned = waiting.has(name)
  waiting.set(name, work)
  if (isPlanned) return
  const guard = setTimeout(run, LONGEST_MS)
  requestAnimationFrame(() => setTimeout(run, 0))

  function run(): void {
    clearTimeout(guard)
    const due = waiting.get(name)
    waiting.delete(name)
    due?.()
  }
}
