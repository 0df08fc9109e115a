/** Bytes as text that a browser's storage takes. */
import { fromBase64, toBase64 } from 'lib0/buffer'

export const textOf = (bytes: Uint8Array): string => toBase64(bytes)

/** Throws for a text that is none. */
export const bytesOf = (text: string): Uint8Array => fromBase64(text)
