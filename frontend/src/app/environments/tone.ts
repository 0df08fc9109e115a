import type { Environment } from '../../api/types'
import type { Tone } from '../../ui/Badge'

const TONES: Readonly<Record<Environment['colour'], Tone>> = {
  grey: 'plain',
  green: 'accent',
  blue: 'info',
  amber: 'warning',
  red: 'danger',
}

/** The tone in which an environment of a colour is shown. */
export function toneOf(colour: Environment['colour']): Tone {
  return TONES[colour]
}
