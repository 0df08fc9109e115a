#!/usr/bin/env bash
# Makes .venv from requirements.lock and installs the four packages into it, editable.
set -euo pipefail
cd "$(dirname "$0")/.."
export UV_COMPILE_BYTECODE=1 UV_NO_PROGRESS=1

# Debian and pyenv name the interpreters differently: take the first that is new enough.
for python in python3 python3.11 python3.12 python3.13 python3.14; do
    if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then break; fi
    python=
done

if ! uv=$(command -v uv); then
    uv=$PWD/.uv/bin/uv
    if [ ! -x "$uv" ]; then
        [ -n "$python" ] || { echo "make setup: Python 3.11 or newer is needed, and none was found." >&2; exit 1; }
        echo "Installing uv into .uv/"
        "$python" -m venv .uv || { echo "make setup: $python cannot make a virtual environment; on Debian: apt-get install python3-venv" >&2; exit 1; }
        .uv/bin/pip install --quiet uv
    fi
fi

[ -x .venv/bin/python ] || "$uv" venv --quiet --python "${python:->=3.11}" .venv
"$uv" pip sync --quiet --python .venv/bin/python --require-hashes requirements.lock
"$uv" pip install --quiet --python .venv/bin/python --no-deps --no-build-isolation \
    --editable engine --editable service --editable profiler --editable backend
touch .venv/.installed
