#!/usr/bin/env bash
# Installs the front-end packages of package-lock.json.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)' 2>/dev/null; then
    echo "make setup: Node 20.19 or newer is needed, and was not found." >&2
    exit 1
fi
# `npm ci` begins by deleting everything: only right where there is nothing yet.
if [ -d node_modules ]; then npm install --loglevel=error; else npm ci --loglevel=error; fi
touch node_modules/.installed
