// How much processor time the browsers and the server have used: unlike the time until something is drawn, it stays much
// the same beside other programs.
import { readdirSync, readFileSync } from 'node:fs'
import type { Browser } from '@playwright/test'

/** Milliseconds of a processor since each was started. */
export interface ProcessorTime {
  /** The processes of the pages: their main threads and those that draw. */
  pages: number
  /** The browser's own process, and those of its network and its pictures. */
  browser: number
  /** The server and the processes that compile for it. */
  server: number
}

/** The milliseconds that the clock of the kernel counts by. */
const MS_OF_A_TICK = 10

/** Reads how much was used so far; of all Python processes that descend from the one that runs the benches. */
export async function processorTime(browser: Browser): Promise<ProcessorTime> {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  const used = (isWanted: (type: string) => boolean) =>
    1000 * processInfo.filter(({ type }) => isWanted(type)).reduce((sum, { cpuTime }) => sum + cpuTime, 0)
  return {
    pages: used((type) => type === 'renderer'),
    browser: used((type) => type !== 'renderer'),
    server: serverTime(),
  }
}

interface Process {
  program: string
  parent: number
  ticks: number
}

function serverTime(): number {
  const processes = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => {
        const process = processOf(name)
        return process ? [[Number(name), process] as const] : []
      }),
  )
  const isOurs = (id: number): boolean => {
    const parent = processes.get(id)?.parent
    return id === process.ppid || (parent !== undefined && isOurs(parent))
  }
  return [...processes]
    .filter(([id, { program }]) => /^(python|piql)/.test(program) && isOurs(id))
    .reduce((sum, [, { ticks }]) => sum + MS_OF_A_TICK * ticks, 0)
}

/** What the kernel says of a process; null where it has just ended. */
function processOf(id: string): Process | null {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, 'utf8')
    const [open, close] = [stat.indexOf('('), stat.lastIndexOf(')')]
    const fields = stat.slice(close + 2).split(' ')
    const [parent, ticks] = [Number(fields[1]), Number(fields[11]) + Number(fields[12])]
    return { program: stat.slice(open + 1, close), parent, ticks }
  } catch {
    return null
  }
}
