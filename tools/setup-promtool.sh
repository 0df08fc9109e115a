#!/usr/bin/env bash
# Prints where promtool is, which checks and runs rule files.
set -euo pipefail
exec "$(dirname "$0")/out-of-debian.sh" promtool prometheus usr/bin/promtool \
    "No promtool for the tests of rule files: install Prometheus."
