// How the journeys run: two workers, and for each file a back end of its own (`fixtures.ts`), in Chromium at 1440 × 900.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { defineConfig } from '@playwright/test'
import { patience } from './patience.ts'

// The system's Chromium where there is one, else the browser that Playwright downloaded. It must answer `--version`:
// Ubuntu installs a script of the same name that only tells how to install the browser.
const systemChromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(
  (path) => existsSync(path) && spawnSync(path, ['--version']).status === 0,
)

// Chromium takes the last list alone. The first names are Playwright's own; then, what no journey sees: for each window,
// two hidden pages below the address bar, which take a quarter of the processor time of a page that is opened.
const switchedOff = [
  'AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable',
  'LensOverlay,MediaRouter,PaintHolding,ThirdPartyStoragePartitioning,AvoidCorsURLLoaderRestartOnRedirect',
  'TcpPortRandomizationWin,OptimizationHints,NetworkTimeServiceQuerying,AimEnabled,PreconnectToSearch',
  'msForceBrowserSignIn,msEdgeUpdateLaunchServicesPreferredVersion',
  'WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup',
]

export default defineConfig({
  testDir: 'journeys',
  globalSetup: './first-start.ts',
  outputDir: 'test-results',
  // A worker takes one file at a time.
  workers: 2,
  fullyParallel: false,
  retries: 0,
  timeout: 120_000 * patience,
  expect: { timeout: 20_000 * patience },
  reporter: [['list']],
  use: {
    actionTimeout: 20_000 * patience,
    viewport: { width: 1440, height: 900 },
    // Recording makes everything three times slower; `--trace on` asks for it.
    trace: 'off',
    screenshot: 'only-on-failure',
    timezoneId: 'UTC',
    colorScheme: 'light',
    launchOptions: {
      executablePath: systemChromium,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        `--disable-features=${switchedOff.join(',')}`,
      ],
    },
  },
})
