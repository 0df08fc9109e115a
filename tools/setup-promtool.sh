#!/usr/bin/env bash
# Prints where promtool is, which checks and runs rule files: in the PATH, else out of Debian's package, into .promtool/.
set -euo pipefail
cd "$(dirname "$0")/.."
if command -v promtool; then exit 0; fi
folder=$PWD/.promtool
mkdir -p "$folder"
exec 9>"$folder/lock" # tests of several processes ask at once
flock 9
if [ ! -x "$folder/usr/bin/promtool" ]; then
    if ! command -v apt-get >/dev/null || ! command -v dpkg >/dev/null; then
        echo "No promtool for the tests of rule files: install Prometheus." >&2
        exit 1
    fi
    cd "$folder"
    apt-get download -qq prometheus >&2 || { apt-get update -qq >&2 && apt-get download -qq prometheus >&2; }
    dpkg --extract prometheus_*.deb "$folder" # nothing is installed, and no server starts
    rm prometheus_*.deb
fi
echo "$folder/usr/bin/promtool"
