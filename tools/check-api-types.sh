#!/usr/bin/env bash
# Fails when the TypeScript types in the front end are not those of the backend's schemas.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fresh=$folder/schema.d.ts
tools/api-types.sh "$fresh"
diff --unified=1 frontend/src/api/schema.d.ts "$fresh" || { echo "The API's types have drifted: run make api-types" >&2; exit 1; }
