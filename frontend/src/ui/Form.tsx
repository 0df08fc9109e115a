import type { FormHTMLAttributes, KeyboardEvent, MouseEvent, Ref } from 'react'

interface FormProps extends Omit<FormHTMLAttributes<HTMLFormElement>, 'onSubmit'> {
  ref?: Ref<HTMLFormElement>
  onSubmit: () => void
}

/** A form that is submitted only once by a double click on its button, or by Enter that is held down. */
export function Form({ onSubmit, children, ...rest }: FormProps) {
  return (
    <form
      {...rest}
      onClickCapture={ignoreDoubled}
      onKeyDownCapture={ignoreHeld}
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    >
      {children}
    </form>
  )
}

function ignoreDoubled(event: MouseEvent<HTMLFormElement>): void {
  if (event.detail > 1 && isOf(event.target, 'button[type=submit]')) event.preventDefault()
}

function ignoreHeld(event: KeyboardEvent<HTMLFormElement>): void {
  if (event.key === 'Enter' && event.repeat && isOf(event.target, 'input, select, button')) event.preventDefault()
}

function isOf(target: EventTarget, selector: string): boolean {
  return target instanceof Element && target.closest(selector) !== null
}
