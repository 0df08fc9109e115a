"""What a machine lacks to run a cluster, in one line."""

from __future__ import annotations

import re
import shutil
import subprocess

JAVA = 17


class ClusterMissing(Exception):
    """This machine cannot run a cluster; the message says what to install."""


def what_is_missing() -> str | None:
    """Return one line that says what is missing, None when nothing is."""
    lacking = [
        name for name, program in (("Maven (mvn)", "mvn"), ("a JDK 17 (java)", "java")) if not shutil.which(program)
    ]
    if lacking:
        return f"no cluster on this machine: {' and '.join(lacking)} not found"
    version = java_version()
    if version != JAVA:
        return f"no cluster on this machine: java is version {version or 'unknown'}, Cassandra 5 needs {JAVA}"
    return None


def java_version() -> int | None:
    """Return the first number of the version that `java` prints; None if it prints none."""
    output = subprocess.run(["java", "-version"], capture_output=True, text=True, check=False)
    version = re.search(r'version "(\d+)', output.stderr + output.stdout)
    return int(version[1]) if version else None
