import { expect, type Locator, type Page } from '@playwright/test'

const MOST_STOPS = 120

/** Somebody who has a keyboard and nothing else. */
export class Keys {
  constructor(private readonly page: Page) {}

  /** Presses Tab until an element has the focus, which must then be seen. Out of the editor Escape leads first. */
  async tabTo(target: Locator): Promise<void> {
    await target.waitFor({ state: 'attached' })
    const isInEditor = await this.page.locator('.monaco-editor :focus').count()
    if (isInEditor > 0 && !(await isFocused(target))) await this.page.keyboard.press('Escape')
    for (let stops = 0; stops < MOST_STOPS; stops += 1) {
      if (await isFocused(target)) break
      await this.page.keyboard.press('Tab')
    }
    await expect(target).toBeFocused()
    await this.expectFocusSeen()
  }

  /** Goes to an element by Tab, once it can be used, and presses a key on it. */
  async press(target: Locator, key = 'Enter'): Promise<void> {
    await expect(target).toBeEnabled()
    await this.tabTo(target)
    await this.page.keyboard.press(key)
  }

  /** Goes to a field by Tab, and types over what is in it. */
  async fill(target: Locator, text: string): Promise<void> {
    await this.tabTo(target)
    await this.page.keyboard.press('ControlOrMeta+A')
    await this.page.keyboard.type(text)
    await expect(target).toHaveValue(text)
  }

  /** Goes to a select by Tab, and types the beginning of an option. */
  async choose(target: Locator, option: string): Promise<void> {
    await this.tabTo(target)
    await this.page.keyboard.type(option)
    await expect(target.locator('option:checked')).toHaveText(new RegExp(`^${option}`))
  }

  /** What has the focus is in the window, and drawn with a ring of its own or around it. */
  async expectFocusSeen(): Promise<void> {
    const focused = this.page.locator(':focus')
    await expect(focused).toBeInViewport()
    const ring = () =>
      focused.evaluate((element) => {
        const editor = element.closest('.monaco-editor')
        if (editor) return editor.querySelector('.cursor') !== null
        const candidates = [element, element.parentElement, element.querySelector('[class*=ring]')]
        return candidates.some((candidate) => {
          if (!candidate) return false
          const { outlineStyle, outlineWidth, boxShadow, stroke, strokeWidth } = getComputedStyle(candidate)
          if (candidate instanceof SVGElement)
            return stroke !== 'none' && !/rgba\(.*, 0\)|transparent/.test(stroke) && parseFloat(strokeWidth) >= 2
          return (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2) || boxShadow !== 'none'
        })
      })
    await expect.poll(ring, { message: `the ring around ${await focused.evaluate(nameOf)}` }).toBe(true)
  }
}

function isFocused(target: Locator): Promise<boolean> {
  return target.evaluate((element) => element === document.activeElement)
}

function nameOf(element: Element): string {
  return element.getAttribute('aria-label') ?? element.textContent?.trim().slice(0, 40) ?? element.tagName
}
