#!/usr/bin/env bash
# Runs the end-to-end tests; what is given, such as `2-predict --trace on`, chooses among them as Playwright does.
# Playwright's JSON report goes to .test-results/e2e.json, or where PIQL_E2E_REPORT has another name for it.
set -euo pipefail
cd "$(dirname "$0")/.."
report=$PWD/.test-results/${PIQL_E2E_REPORT:-e2e}.json
tools/setup-chromium.sh
cd e2e
PLAYWRIGHT_JSON_OUTPUT_FILE=$report npx --no-install playwright test --reporter=list,json "$@"
