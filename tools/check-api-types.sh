#!/usr/bin/env bash
# Fails when the API's types or the words of the language in the front end are not those of the Python code.
set -euo pipefail
cd "$(dirname "$0")/.."
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
tools/api-types.sh "$fresh"
for file in api/schema.d.ts logic/words.ts; do
  diff --unified=1 "frontend/src/$file" "$fresh/$file" || { echo "frontend/src/$file has drifted: run make api-types" >&2; exit 1; }
done
