#!/usr/bin/env bash
# Finds a browser for the end-to-end tests: the system's Chromium, else Debian's package, else Playwright's own.
set -euo pipefail
cd "$(dirname "$0")/../e2e"
# On Ubuntu a file of that name may only say where the browser would be: it has to run.
for chromium in /usr/bin/chromium /usr/bin/chromium-browser; do
    if [ -x "$chromium" ] && "$chromium" --version >/dev/null 2>&1; then exit 0; fi
done
if [ -x "$(node -p 'require("@playwright/test").chromium.executablePath()')" ]; then exit 0; fi
if [ "$(id -u)" = 0 ] && grep -q '^ID=debian' /etc/os-release 2>/dev/null; then
    echo "Installing Debian's chromium for the end-to-end tests"
    if apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        chromium fonts-dejavu-core >/dev/null; then exit 0; fi
fi
if npx --no-install playwright install chromium; then exit 0; fi
echo "No browser for the end-to-end tests: install chromium (on Debian: apt-get install chromium)." >&2
exit 1
