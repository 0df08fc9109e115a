#!/usr/bin/env bash
# Prints the Python that has Helm and the schemas of Kubernetes, for tests of the chart: .helm/, apart from .venv, since
# both are large and nothing else needs them. They are installed from tools/chart/requirements.txt, with hashes.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p .helm
exec 9>.helm/lock # tests of several processes ask at once
flock 9
if [ .helm/.installed -ot tools/chart/requirements.txt ]; then
    uv=$(command -v uv || echo "$PWD/.uv/bin/uv")
    "$uv" venv --quiet --allow-existing --python .venv/bin/python .helm
    "$uv" pip install --quiet --python .helm/bin/python --require-hashes -r tools/chart/requirements.txt >&2
    touch .helm/.installed
fi
echo "$PWD/.helm/bin/python"
