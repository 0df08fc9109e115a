#!/usr/bin/env bash
# Writes requirements.lock anew from the pyproject files: versions and hashes, no addresses. Needs uv.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$PWD/.uv/bin:$PATH
uv lock "$@"
uv export --quiet --frozen --all-packages --all-extras --all-groups --no-emit-workspace --no-emit-project \
    --no-annotate --no-header --output-file requirements.lock
