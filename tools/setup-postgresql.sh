#!/usr/bin/env bash
# Prints the folder of PostgreSQL's programs: those of this machine, else of Debian's package, which is installed.
set -euo pipefail
cd "$(dirname "$0")/.."
found() {
    for folder in $(ls -d /usr/lib/postgresql/*/bin /usr/pgsql-*/bin 2>/dev/null | sort -rV) \
        "$(dirname "$(command -v postgres || echo /nowhere/postgres)")"; do
        if [ -x "$folder/postgres" ] && [ -x "$folder/initdb" ]; then echo "$folder"; return 0; fi
    done
    return 1
}
if found; then exit 0; fi
mkdir -p .test-results
exec 9>.test-results/postgresql.lock # tests of several processes ask at once
flock 9
if found; then exit 0; fi
if [ "$(id -u)" = 0 ] && grep -q '^ID=debian' /etc/os-release 2>/dev/null; then
    mkdir -p /etc/postgresql-common # a server of the machine is not wanted: tests start their own
    [ -e /etc/postgresql-common/createcluster.conf ] ||
        echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.conf
    apt-get update -qq >&2
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql-15 >/dev/null
    if found; then exit 0; fi
fi
echo "No PostgreSQL for the tests of people on several servers: install its server, version 13 or newer." >&2
exit 1
