"""Runs the tests that need a cluster; where Maven or a JDK is missing, says so in one line and runs none.

`--long` runs the faults and what else takes minutes, too (`make test-cluster`).
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from cluster.jars import jars
from cluster.missing import ClusterMissing, what_is_missing

FOLDERS = ("engine/tests", "backend/tests", ".ci")


def main(report: Path, is_long: bool) -> int:
    report.parent.mkdir(exist_ok=True)
    missing = what_is_missing()
    report.write_text(json.dumps({"missing": missing}))
    if missing:
        print(missing)
        return 0
    try:
        jars()  # a failure to fetch them is one failure, not one for each test
    except ClusterMissing as failure:
        print(failure)
        return 1
    marks = "cluster" if is_long else "cluster and not long"
    command = [sys.executable, "-m", "pytest", "-q", "--durations=10", "-m", marks, *FOLDERS]
    return subprocess.run([*command, f"--junitxml={report.with_suffix('.xml')}"], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), "--long" in sys.argv))
