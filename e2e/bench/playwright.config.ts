import { defineConfig } from '@playwright/test'
import journeys from '../playwright.config.ts'

// The measurements beside the journeys: one worker, so that they do not slow each other down.
export default defineConfig({
  ...journeys,
  testDir: '.',
  testMatch: '*.bench.ts',
  workers: 1,
  outputDir: '../test-results/bench',
  timeout: 300_000,
  reporter: [['line']],
})
