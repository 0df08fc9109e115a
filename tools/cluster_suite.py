"""Runs the tests that need a cluster; where Maven or a JDK is missing, says so in one line and runs none.

`--long` also runs the tests that take minutes, such as those with faults (`make test-cluster`).
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from datetime import date
from pathlib import Path
from xml.etree import ElementTree

from cluster.jars import jars
from cluster.missing import ClusterMissing, what_is_missing
from kept_results import keep_section, load_average

STUCK_SECONDS = 900  # after which the log says where a test stands
PATHS = (  # where tests of a cluster are: all others would be read only to be left out
    "engine/tests/concurrency",
    "engine/tests/crash",
    "engine/tests/faults",
    "engine/tests/oracle/test_oracle.py",
    "engine/tests/runtime/writing/test_intent_log_on_a_cluster.py",
    "engine/tests/store",
    "engine/tests/units/test_units_on_a_cluster.py",
    "engine/tests/versions",
    "engine/tests/views/test_views_on_a_cluster.py",
    "profiler/tests/experiments/test_on_a_cluster.py",
    "backend/tests/test_counting_through_kills.py",
    "backend/tests/test_on_cluster.py",
    "tools/test_on_cluster.py",
)


def main(report: Path, is_long: bool) -> int:
    """Run the tests, write the report that `run_suites` reads, and return the exit status of pytest.

    A long run also keeps its result in docs/measurements/cluster.md.
    """
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
    began, before = time.monotonic(), load_average()
    marks = "cluster" if is_long else "cluster and not long"
    command = [sys.executable, "-m", "pytest", "-v", "--durations=20", "-p", "no:schemathesis", "-m", marks, *PATHS]
    command += ["-o", f"faulthandler_timeout={STUCK_SECONDS}"]
    xml = report.with_suffix(".xml")
    xml.unlink(missing_ok=True)
    status = subprocess.run([*command, f"--junitxml={xml}"], check=False).returncode
    if is_long and xml.exists():
        minutes = (time.monotonic() - began) / 60
        loads = f"{before} at its start, {load_average()} at its end"
        keep_section("cluster.md", "The last run", summary_of(xml, minutes, loads))
    return status


def summary_of(xml: Path, minutes: float, loads: str) -> str:
    """Return the counts of a run, with the name of each test that failed; `loads` are the load averages, in words."""
    cases = list(ElementTree.parse(xml).getroot().iter("testcase"))
    failed = [case for case in cases if case.find("failure") is not None or case.find("error") is not None]
    skipped = [case for case in cases if case.find("skipped") is not None]
    git = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    revision = git.stdout.strip() or "unknown"
    text = (
        f"`make test-cluster` on {date.today().isoformat()}, revision {revision}: {len(cases)} tests"
        f" in {minutes:.0f} minutes, {len(failed)} failed, {len(skipped)} skipped;\nload average {loads}.\n"
    )
    return text + "".join(f"\n- failed: `{case.get('classname')}::{case.get('name')}`" for case in failed)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), "--long" in sys.argv))
