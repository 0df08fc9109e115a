/** A laid-out diagram as an SVG file of its own: nothing in it refers to the page. */
import type { DiagramLayout } from './diagram-layout'
import { HEAD, LINE, PAD, type PlacedBox, type PlacedLink } from './diagram-links'
import type { Line } from './schema-diagram'
import { linkLabel } from './schema-diagram'

/** Colours by what has them, as CSS writes them. */
export interface DiagramColours {
  background: string
  box: string
  line: string
  text: string
  soft: string
  accent: string
  danger: string
}

const MARGIN = 24
/** The average width of a character of the labels, in pixels. */
const CHARACTER = 6.2
const FONT = "font-family='system-ui, Segoe UI, DejaVu Sans, sans-serif' font-size='11'"

/** The SVG of all tables, references and steps, as large as the drawing. */
export function diagramSvg(layout: DiagramLayout, colours: DiagramColours, title: string): string {
  const { left, top, width, height } = extent(layout)
  return [
    `<svg xmlns='http://www.w3.org/2000/svg' width='${width}' height='${height}'`,
    ` viewBox='${left} ${top} ${width} ${height}' ${FONT} role='img'>`,
    `<title>${escaped(title)}</title>`,
    `<rect x='${left}' y='${top}' width='${width}' height='${height}' fill='${colours.background}'/>`,
    ...layout.links.map((placed) => linkSvg(placed, colours)),
    ...layout.boxes.map((placed) => boxSvg(placed, colours)),
    ...layout.links.map((placed) => labelSvg(placed, colours)),
    '</svg>',
  ].join('')
}

/** The area of all boxes, paths' ends and labels, with a margin. */
function extent({ boxes, links }: DiagramLayout) {
  const labels = links.map((placed) => {
    const half = labelWidth(placed) / 2
    return { x: placed.labelAt.x - half, y: placed.labelAt.y - LINE / 2, width: half * 2, height: LINE }
  })
  const parts = [...boxes, ...labels]
  const left = Math.floor(Math.min(0, ...parts.map(({ x }) => x)) - MARGIN)
  const top = Math.floor(Math.min(0, ...parts.map(({ y }) => y)) - MARGIN)
  const right = Math.max(0, ...parts.map(({ x, width }) => x + width)) + MARGIN
  const bottom = Math.max(0, ...parts.map(({ y, height }) => y + height)) + MARGIN
  return { left, top, width: Math.ceil(right - left), height: Math.ceil(bottom - top) }
}

function boxSvg({ box, x, y, width, height }: PlacedBox, colours: DiagramColours): string {
  const stroke = box.isUnbounded ? colours.danger : box.steps.length > 0 ? colours.accent : colours.line
  const dash = box.isUnbounded ? " stroke-dasharray='5 4'" : ''
  const steps = box.steps.map(({ number, text }) => `${number}: ${text || 'read'}`).join(' · ')
  const head = `<tspan font-weight='600' font-size='13'>${escaped(box.name)}</tspan>`
  return [
    `<g transform='translate(${x},${y})' fill='${colours.text}'>`,
    `<rect width='${width}' height='${height}' rx='8' fill='${colours.box}' stroke='${stroke}'${dash}/>`,
    `<path d='M0,${HEAD}H${width}' stroke='${colours.line}'/>`,
    `<text x='10' y='${HEAD / 2 + 4}'>${head}</text>`,
    steps === '' ? '' : `<text x='${width - 10}' y='${HEAD / 2 + 4}' text-anchor='end' fill='${stroke}'>`,
    steps === '' ? '' : `${escaped(steps)}</text>`,
    ...box.lines.map((line, index) => lineSvg(line, HEAD + PAD + LINE * index + LINE / 2 + 4, width, colours)),
    '</g>',
  ].join('')
}

function lineSvg(line: Line, y: number, width: number, colours: DiagramColours): string {
  const weight = line.isKey ? " font-weight='600'" : ''
  const colour = line.kind === 'column' ? colours.text : colours.accent
  const name = `${line.isKey ? 'PK ' : ''}${line.name}`
  return (
    `<text x='10' y='${y}' fill='${colour}'${weight}>${escaped(name)}</text>` +
    `<text x='${width - 10}' y='${y}' text-anchor='end' fill='${colours.soft}'>${escaped(line.detail)}</text>`
  )
}

const DASHES = {
  key: '',
  feed: " stroke-dasharray='10 4'",
  step: " stroke-dasharray='2 5'",
  unbounded: " stroke-dasharray='7 5'",
}

function linkSvg({ link, path, end, beforeEnd }: PlacedLink, colours: DiagramColours): string {
  const stroke = link.isUnbounded ? colours.danger : link.steps.length > 0 ? colours.accent : colours.soft
  const dash = link.isUnbounded ? DASHES.unbounded : DASHES[link.kind]
  const angle = (Math.atan2(end.y - beforeEnd.y, end.x - beforeEnd.x) * 180) / Math.PI
  const arrow = `<path d='M-9,-4.5L0,0L-9,4.5' transform='translate(${end.x},${end.y}) rotate(${angle})'/>`
  return `<g fill='none' stroke='${stroke}' stroke-width='1.3'><path d='${path}'${dash}/>${arrow}</g>`
}

function labelSvg(placed: PlacedLink, colours: DiagramColours): string {
  const text = linkLabel(placed.link)
  if (text === '') return ''
  const width = labelWidth(placed)
  const { x, y } = placed.labelAt
  const colour = placed.link.isUnbounded ? colours.danger : colours.soft
  return (
    `<rect x='${x - width / 2}' y='${y - 9}' width='${width}' height='18' rx='4' fill='${colours.background}'/>` +
    `<text x='${x}' y='${y + 4}' text-anchor='middle' fill='${colour}'>${escaped(text)}</text>`
  )
}

function labelWidth({ link }: PlacedLink): number {
  return linkLabel(link).length * CHARACTER + 10
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll("'", '&#39;')
}
