#!/usr/bin/env bash
# Prints where nginx is, a proxy for tests.
set -euo pipefail
PATH=$PATH:/usr/sbin exec "$(dirname "$0")/out-of-debian.sh" nginx nginx usr/sbin/nginx \
    "No nginx for the tests of several servers: install it."
