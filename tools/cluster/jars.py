"""Cassandra's jars: fetched once by Maven from `pom.xml`, each checked against `sha256sums.txt`, kept in a cache.

~/.cache/piql/cassandra-3f2a…/lib/*.jar      or below $PIQL_CACHE; the name holds a digest of all sums
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cluster.missing import ClusterMissing

HERE = Path(__file__).resolve().parent
POM = HERE / "pom.xml"
SUMS = HERE / "sha256sums.txt"


def cache() -> Path:
    """Return the folder of this version's jars, outside the tree."""
    root = os.environ.get("PIQL_CACHE") or Path.home() / ".cache" / "piql"
    return Path(root) / f"cassandra-{hashlib.sha256(SUMS.read_bytes()).hexdigest()[:12]}"


def jars() -> Path:
    """Return the folder of the jars, which are fetched if they are not there; raise ClusterMissing where that fails."""
    folder = cache()
    folder.mkdir(parents=True, exist_ok=True)
    library = folder / "lib"
    with _locked(folder / "lock"):
        if not library.is_dir():
            with tempfile.TemporaryDirectory(dir=folder) as scratch:
                fetched = Path(scratch) / "lib"
                _fetch(fetched)
                _verify(fetched)
                fetched.rename(library)
    return library


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Keep other processes out while the context lasts: of several that start together, one fetches."""
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _fetch(folder: Path) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        raise ClusterMissing("no cluster on this machine: Maven (mvn) not found")
    command = [maven, "-B", "-ntp", "-q", "-f", str(POM), "dependency:copy-dependencies"]
    command += ["-DincludeScope=runtime", f"-DoutputDirectory={folder}"]
    maven_run = subprocess.run(command, capture_output=True, text=True, check=False)
    if maven_run.returncode:
        lines = [line for line in (maven_run.stdout + maven_run.stderr).splitlines() if line.strip()]
        raise ClusterMissing(f"Maven could not fetch Cassandra: {' '.join(lines[:3])}")


def _verify(folder: Path) -> None:
    """Refuse jars that are not those that were reviewed: another sum, one more or one fewer."""
    expected = {name: sum_ for sum_, name in (line.split() for line in SUMS.read_text().splitlines())}
    digests = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}
    wrong = sorted(name for name in expected.keys() | digests.keys() if expected.get(name) != digests.get(name))
    if wrong:
        raise ClusterMissing(f"what Maven fetched is not what {SUMS.name} says: {', '.join(wrong[:5])}")
