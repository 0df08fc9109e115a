#!/usr/bin/env bash
# Runs the end-to-end tests and writes Playwright's JSON report to the file named.
set -euo pipefail
cd "$(dirname "$0")/.."
report=$PWD/${1:-.test-results/e2e.json}
tools/setup-chromium.sh
cd e2e
PLAYWRIGHT_JSON_OUTPUT_FILE=$report npx --no-install playwright test --reporter=list,json
