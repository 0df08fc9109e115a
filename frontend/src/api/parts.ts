/** Uploads of files in parts. */

const PART_BYTES = 2_000_000

interface Uploading {
  state: string
  uploaded: number
}

/** Sends the parts of a file until all are there; `onProgress` gets the uploaded share, from 0 to 1. */
export async function sendParts<T extends Uploading>(
  file: File,
  first: T,
  send: (part: { offset: number; base64: string }, state: T) => Promise<T>,
  onProgress: (share: number) => void,
): Promise<T> {
  let state = first
  while (state.state === 'uploading') {
    const base64 = await base64Of(file.slice(state.uploaded, state.uploaded + PART_BYTES))
    state = await send({ offset: state.uploaded, base64 }, state)
    onProgress(file.size > 0 ? state.uploaded / file.size : 1)
  }
  return state
}

async function base64Of(part: Blob): Promise<string> {
  const bytes = new Uint8Array(await part.arrayBuffer())
  const chunks: string[] = []
  // In chunks, because a call takes only so many arguments.
  for (let start = 0; start < bytes.length; start += 8192)
    chunks.push(String.fromCharCode(...bytes.subarray(start, start + 8192)))
  return btoa(chunks.join(''))
}
