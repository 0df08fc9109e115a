#!/usr/bin/env bash
# out-of-debian.sh PROGRAM PACKAGE PATH WITHOUT: prints where a program for tests is. It is in the PATH, else out of
# Debian's package, in which it stands at PATH, into .PROGRAM/: nothing is installed, and no server starts. Where there is
# neither, it says WITHOUT.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$1 package=$2 path=$3 without=$4
if command -v "$program"; then exit 0; fi
folder=$PWD/.$program
mkdir -p "$folder"
exec 9>"$folder/lock" # tests of several processes ask at once
flock 9
if [ ! -x "$folder/$path" ]; then
    if ! command -v apt-get >/dev/null || ! command -v dpkg >/dev/null; then
        echo "$without" >&2
        exit 1
    fi
    cd "$folder"
    apt-get download -qq "$package" >&2 || { apt-get update -qq >&2 && apt-get download -qq "$package" >&2; }
    dpkg --extract "$package"_*.deb "$folder"
    rm "$package"_*.deb
fi
echo "$folder/$path"
