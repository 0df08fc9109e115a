#!/usr/bin/env bash
# Prints where nginx is, a proxy for tests: in the PATH, else out of Debian's package, into .nginx/.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$PATH:/usr/sbin
if command -v nginx; then exit 0; fi
folder=$PWD/.nginx
mkdir -p "$folder"
exec 9>"$folder/lock" # tests of several processes ask at once
flock 9
if [ ! -x "$folder/usr/sbin/nginx" ]; then
    if ! command -v apt-get >/dev/null || ! command -v dpkg >/dev/null; then
        echo "No nginx for the tests of several servers: install it." >&2
        exit 1
    fi
    cd "$folder"
    apt-get download -qq nginx >&2 || { apt-get update -qq >&2 && apt-get download -qq nginx >&2; }
    dpkg --extract nginx_*.deb "$folder" # nothing is installed, and no server starts
    rm nginx_*.deb
fi
echo "$folder/usr/sbin/nginx"
