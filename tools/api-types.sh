#!/usr/bin/env bash
# Writes what the front end takes from the Python code below the folder named: api/schema.d.ts, the types of the HTTP
# API, from the backend's OpenAPI document, and logic/words.ts, the words of the language, from the engine.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
document=$folder/api.json
mkdir -p "$out/api" "$out/logic"
.venv/bin/python -m piql_backend.commands.openapi >"$document"
PATH="$PWD/frontend/node_modules/.bin:$PWD/node_modules/.bin:$PATH" openapi-typescript "$document" --output "$out/api/schema.d.ts" >/dev/null
.venv/bin/python tools/editor_words.py >"$folder/words.ts"
mv "$folder/words.ts" "$out/logic/words.ts"
