// How `npm run bench` runs the measurements: as the journeys, but with one worker, so that they do not slow each other
// down.
import { defineConfig } from '@playwright/test'
import journeys from '../playwright.config.ts'

export default defineConfig({
  ...journeys,
  globalSetup: '../first-start.ts',
  testDir: '.',
  testMatch: '*.bench.ts',
  workers: 1,
  outputDir: '../test-results/bench',
  timeout: 300_000,
  reporter: [['line']],
})
