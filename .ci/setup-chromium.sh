#!/usr/bin/env bash
# Finds a browser for the end-to-end tests: a Chromium of the system, else Debian's package, else Playwright's own.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ -n "${PIQL_CHROMIUM:-}" ] || command -v chromium >/dev/null; then exit 0; fi
playwright=$(cd e2e && node -p 'require("@playwright/test").chromium.executablePath()' 2>/dev/null || true)
if [ -n "$playwright" ] && [ -x "$playwright" ]; then exit 0; fi
if [ "$(id -u)" = 0 ] && grep -q '^ID=debian' /etc/os-release 2>/dev/null; then
    echo "Installing Debian's chromium for the end-to-end tests"
    if apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        chromium fonts-dejavu-core >/dev/null; then exit 0; fi
fi
if (cd e2e && npx playwright install chromium); then exit 0; fi
echo "No browser for the end-to-end tests: install chromium (Debian: apt-get install chromium) or name one in PIQL_CHROMIUM." >&2
exit 1
