#!/usr/bin/env bash
# Writes the TypeScript types of the HTTP API to the file named, from the backend's own OpenAPI document.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
document=$folder/api.json
.venv/bin/python -m piql_backend.openapi >"$document"
PATH="$PWD/frontend/node_modules/.bin:$PWD/node_modules/.bin:$PATH" openapi-typescript "$document" --output "$out" >/dev/null
