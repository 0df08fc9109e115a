import { X } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { cardPlace, type Rectangle } from '../../logic/tour-place'
import { Button, IconButton } from '../../ui/Button'
import { isOpen } from '../panel-view'
import { currentView, replaceView, setView, useView } from '../url-state'
import { TOUR } from './steps'
import styles from './tour.module.css'

/** One stop of the tour: a frame around a part of the window, and a card beside it. The rest of the window stays in use. */
export default function Tour() {
  const { tour = 1 } = useView()
  const index = Math.min(TOUR.length, tour) - 1
  const step = TOUR[index]
  const heading = useRef<HTMLHeadingElement>(null)
  const target = useRectangle(step?.selector ?? '')
  useEffect(() => {
    if (step?.panel && !isOpen(currentView(), step.panel)) replaceView({ panel: step.panel, beside: undefined })
    if (step) document.querySelector(step.selector)?.scrollIntoView({ block: 'nearest' })
    heading.current?.focus({ preventScroll: true })
  }, [step])
  if (!step) return null
  const go = (next: number) => setView({ tour: next + 1 })
  const end = () => setView({ tour: undefined })
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return
    event.preventDefault()
    end()
  }
  const isLast = index === TOUR.length - 1
  return (
    <>
      {target ? <div className={styles['frame']} style={{ ...target }} aria-hidden /> : null}
      {/* Escape ends the tour from any of its buttons. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <section
        className={styles['card']}
        style={target ? cardPlace(target, { width: window.innerWidth, height: window.innerHeight }) : undefined}
        role="dialog"
        aria-label={`Tour, ${index + 1} of ${TOUR.length}`}
        onKeyDown={onKeyDown}
        tabIndex={-1}
      >
        <div className={styles['head']}>
          <h2 ref={heading} tabIndex={-1} className={styles['title']}>
            {step.title}
          </h2>
          <IconButton label="End the tour" size="small" onClick={end}>
            <X size={14} aria-hidden />
          </IconButton>
        </div>
        <p>{step.text}</p>
        <div className={styles['actions']}>
          <span className={styles['count']}>
            {index + 1} of {TOUR.length}
          </span>
          {index > 0 ? <Button onClick={() => go(index - 1)}>Back</Button> : null}
          <Button look="primary" onClick={() => (isLast ? end() : go(index + 1))}>
            {isLast ? 'Done' : 'Next'}
          </Button>
        </div>
      </section>
    </>
  )
}

/** Where the first element of a selector is on the page, as it is resized; null while there is none. */
function useRectangle(selector: string): Rectangle | null {
  const [rectangle, setRectangle] = useState<Rectangle | null>(null)
  useEffect(() => {
    let watched: Element | null = null
    const measure = () => {
      const { left, top, width, height } = watched?.getBoundingClientRect() ?? { left: 0, top: 0, width: 0, height: 0 }
      setRectangle(watched ? { left, top, width, height } : null)
    }
    const sizes = new ResizeObserver(measure)
    const find = () => {
      const element = document.querySelector(selector)
      if (element === watched) return
      sizes.disconnect()
      watched = element
      if (element) sizes.observe(element)
      measure()
    }
    // A part may come later than the tour, with its page.
    const changes = new MutationObserver(find)
    changes.observe(document.body, { childList: true, subtree: true })
    window.addEventListener('resize', measure)
    window.addEventListener('scroll', measure, true)
    find()
    return () => {
      sizes.disconnect()
      changes.disconnect()
      window.removeEventListener('resize', measure)
      window.removeEventListener('scroll', measure, true)
    }
  }, [selector])
  return rectangle
}
