/** Downloads a diagram in the colours of the theme: as SVG, or as PNG with twice its pixels. */
import { download, saveFile } from '../../app/export-tables'
import { notify } from '../../app/notices'
import type { DiagramLayout } from '../../logic/diagram-layout'
import { type DiagramColours, diagramSvg } from '../../logic/diagram-svg'

const SCALE = 2
/** Browsers draw no larger picture than this many pixels wide or high. */
const MOST_PIXELS = 16_000

export function exportSvg(layout: DiagramLayout, name: string): void {
  download(`${name}.svg`, 'image/svg+xml', diagramSvg(layout, themeColours(), name))
}

export async function exportPng(layout: DiagramLayout, name: string): Promise<void> {
  try {
    saveFile(`${name}.png`, await drawn(diagramSvg(layout, themeColours(), name)))
  } catch {
    notify({ tone: 'danger', text: 'The browser could not draw the picture. SVG has no such limit.' })
  }
}

async function drawn(svg: string): Promise<Blob> {
  const image = new Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`
  await image.decode()
  const scale = Math.min(SCALE, MOST_PIXELS / Math.max(image.width, image.height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.round(image.width * scale)
  canvas.height = Math.round(image.height * scale)
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height)
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no picture'))), 'image/png')
  })
}

function themeColours(): DiagramColours {
  const style = getComputedStyle(document.documentElement)
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim()
  return {
    background: colour('sunken'),
    box: colour('raised'),
    line: colour('line-strong'),
    text: colour('text'),
    soft: colour('text-soft'),
    accent: colour('accent'),
    danger: colour('danger'),
  }
}
