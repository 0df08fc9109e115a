"""Runs a group of suites to the end, whatever fails on the way, and closes with `N passed, N failed`.

Suites run side by side as long as there are places (`suites.PLACES`). They start, and are printed, in the order of the
group. Beside the seconds of the clock stand those of the processor: a busy machine changes only the former.

A skipped test counts as failed, and so does a suite that ran nothing, wrote no report or took too long. What a suite
prints goes to `.test-results/<suite>.log`; when it fails, its end is shown. What failed is named again at the end.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree as ElementTree
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from pathlib import Path

from failures import FINDERS
from suites import GROUPS, PLACES, REPORTS, Suite

ROOT = Path(__file__).resolve().parent.parent
LINES_SHOWN = 120  # of the log of a suite that failed
FAILURES_NAMED = 10  # of each suite
UNDER_WAY: set[int] = set()
"""The process groups of the suites that run now, to be ended with this program."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one suite; `note` says what the numbers do not, such as why it was ended.

    `seconds` are the clock's. `cpu_seconds` are those its processes and the children they waited for used, user and
    system, over all cores.
    """

    suite: str
    passed: int
    failed: int
    skipped: int
    seconds: float
    note: str = ""
    cpu_seconds: float = 0.0

    @property
    def is_good(self) -> bool:
        """Whether nothing failed and nothing was skipped."""
        return not self.failed and not self.skipped


@dataclass(frozen=True, slots=True)
class Counts:
    """How many tests a report holds; a suite whose report may be empty does not fail when it ran none."""

    passed: int
    failed: int
    skipped: int
    note: str = ""
    may_be_empty: bool = False


def run(suite: Suite) -> Outcome:
    """Run one suite in a process group of its own, so that nothing of it is left behind."""
    report, log = ROOT / suite.report_file, ROOT / REPORTS / f"{suite.name}.log"
    log.parent.mkdir(exist_ok=True)
    report.unlink(missing_ok=True)
    started = time.monotonic()
    with log.open("wb") as output:
        process = subprocess.Popen(
            suite.command, cwd=ROOT, env=environment(os.environ), stdout=output, stderr=output, start_new_session=True
        )
        UNDER_WAY.add(process.pid)
        was_stopped = threading.Event()

        def stop(group: int = process.pid) -> None:
            was_stopped.set()
            os.killpg(group, signal.SIGKILL)

        guard = threading.Timer(suite.minutes * 60, stop)
        guard.start()
        try:
            _, ended, usage = os.wait4(process.pid, 0)
        finally:
            UNDER_WAY.discard(process.pid)
            guard.cancel()
    process.returncode = os.waitstatus_to_exitcode(ended)
    late = f"stopped after {suite.minutes} minutes" if was_stopped.is_set() else ""
    outcome = judge(suite, process.returncode, late, report, time.monotonic() - started)
    return replace(outcome, cpu_seconds=usage.ru_utime + usage.ru_stime)


def environment(here: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a suite, in which Python keeps bytecode.

    Tests start Python hundreds of times. Without bytecode each start would compile every module.
    """
    return {name: value for name, value in here.items() if name != "PYTHONDONTWRITEBYTECODE"}


def run_all(suites: Sequence[Suite], run: Callable[[Suite], Outcome] = run) -> Iterator[Outcome]:
    """Start suites in their order, each as soon as there are places for it, and yield their outcomes in that order."""
    waiting, under_way, outcomes = deque(suites), dict[Future[Outcome], Suite](), dict[str, Outcome]()
    with ThreadPoolExecutor(PLACES) as pool:
        try:
            for suite in suites:
                while suite.name not in outcomes:
                    while waiting and may_start(waiting[0], under_way.values(), waiting):
                        started = waiting.popleft()
                        under_way[pool.submit(run, started)] = started
                    over, _ = wait(under_way, return_when=FIRST_COMPLETED)
                    for future in over:
                        outcomes[under_way.pop(future).name] = future.result()
                yield outcomes[suite.name]
        except BaseException:  # such as Ctrl+C: without this the pool would wait for the running suites
            for group in tuple(UNDER_WAY):
                os.killpg(group, signal.SIGTERM)
            raise


def may_start(suite: Suite, under_way: Collection[Suite], waiting: Collection[Suite]) -> bool:
    """Return whether there are places left for a suite, and whether the one that it comes after is over."""
    is_early = any(suite.after == before.name for before in (*under_way, *waiting))
    return not is_early and suite.places + sum(neighbour.places for neighbour in under_way) <= PLACES


def judge(suite: Suite, status: int, late: str, report: Path, seconds: float) -> Outcome:
    """Return the outcome of a suite from its exit status and report. `late` says why it was stopped, or is empty."""
    if suite.report == "exit status":
        return Outcome(suite.name, int(status == 0), int(status != 0), 0, seconds, late)
    try:
        counts = READERS[suite.report](report)
    except (OSError, ValueError, KeyError, ElementTree.ParseError):
        return Outcome(suite.name, 0, 1, 0, seconds, late or "no report")
    failed, note = counts.failed, late or counts.note
    if status != 0 and not failed and not counts.skipped:
        failed, note = 1, note or f"exit status {status}"
    if not counts.passed and not failed and not counts.may_be_empty:
        failed, note = 1, note or "ran nothing"
    return Outcome(suite.name, counts.passed, failed, counts.skipped, seconds, note)


def read_junit(report: Path) -> Counts:
    """Read the XML that pytest writes; raise ValueError without one."""
    suites = [ElementTree.parse(report).getroot()] if report.exists() else []
    suites = [suite for root in suites for suite in root.iter("testsuite")]
    tests, skipped = (sum(int(suite.get(name, 0)) for suite in suites) for name in ("tests", "skipped"))
    failed = sum(int(suite.get("failures", 0)) + int(suite.get("errors", 0)) for suite in suites)
    if not suites:
        raise ValueError("no report")
    return Counts(max(0, tests - failed - skipped), failed, skipped)


def read_vitest(report: Path) -> Counts:
    """Read the JSON that Vitest writes."""
    report_data = json.loads(report.read_text())
    failed = report_data["numFailedTests"]
    # A file that cannot be loaded has no tests to fail; it fails as a whole.
    broken = sum(
        1 for file in report_data["testResults"] if file["status"] == "failed" and not file["assertionResults"]
    )
    return Counts(
        report_data["numPassedTests"],
        failed + broken,
        report_data["numPendingTests"] + report_data.get("numTodoTests", 0),
    )


def read_playwright(report: Path) -> Counts:
    """Read the JSON that Playwright writes; a test that passes only when repeated counts as failed."""
    report_data = json.loads(report.read_text())
    stats = report_data["stats"]
    note = f"{stats['flaky']} passed only when tried again" if stats["flaky"] else ""
    return Counts(
        stats["expected"], stats["unexpected"] + stats["flaky"] + len(report_data["errors"]), stats["skipped"], note
    )


def read_conformance(report: Path) -> Counts:
    """Read the JSON that `conformance.py` writes."""
    report_data = json.loads(report.read_text())
    if not report_data["found"]:
        return Counts(0, 0, 0, "no cases beside this repository", may_be_empty=True)
    return Counts(
        report_data["passed"],
        report_data["failed"],
        0,
        f"{report_data['passing']} of all {report_data['cases']} cases pass",
    )


def read_cluster(report: Path) -> Counts:
    """Read the JSON that tells whether a cluster can run here, and beside it what pytest wrote."""
    report_data = json.loads(report.read_text())
    if report_data["missing"]:
        return Counts(0, 0, 0, report_data["missing"], may_be_empty=True)
    return read_junit(report.with_suffix(".xml"))


READERS = {
    "junit": read_junit,
    "vitest": read_vitest,
    "playwright": read_playwright,
    "conformance": read_conformance,
    "cluster": read_cluster,
}


def show_log(suite: str) -> None:
    """Print the end of what a suite has printed."""
    lines = (ROOT / REPORTS / f"{suite}.log").read_text(errors="replace").splitlines()
    if len(lines) > LINES_SHOWN:
        print(f"    … {len(lines) - LINES_SHOWN} lines before these are in {REPORTS}/{suite}.log")
    for line in lines[-LINES_SHOWN:]:
        print(f"    {line}")


def name_failures(suite: Suite) -> None:
    """Print which tests of a suite failed and what they said, as far as its report says so."""
    try:
        failures = list(FINDERS[suite.report](ROOT / suite.report_file)) if suite.report in FINDERS else []
    except (OSError, ValueError, KeyError, ElementTree.ParseError):
        failures = []
    for failure in failures[:FAILURES_NAMED]:
        print(f"{suite.name}: {failure}")
    if len(failures) > FAILURES_NAMED:
        print(f"{suite.name}: and {len(failures) - FAILURES_NAMED} more")


def main(group: str) -> int:
    """Run a group of suites, print a line for each, and return 1 if any failed."""
    print(f"{'suite':<12} {'passed':>7} {'failed':>7} {'skipped':>8} {'seconds':>8} {'cpu':>8}")
    outcomes = []
    for outcome in run_all(GROUPS[group]):
        outcomes.append(outcome)
        row = f"{outcome.suite:<12} {outcome.passed:>7} {outcome.failed:>7} {outcome.skipped:>8}"
        print(f"{row} {outcome.seconds:>8.1f} {outcome.cpu_seconds:>8.1f}  {outcome.note}".rstrip(), flush=True)
        if not outcome.is_good:
            show_log(outcome.suite)
    bad = [outcome.suite for outcome in outcomes if not outcome.is_good]
    for suite in GROUPS[group]:
        if suite.name in bad:
            name_failures(suite)
    if bad:
        print(f"failed: {', '.join(bad)}")
    failed = sum(outcome.failed + outcome.skipped for outcome in outcomes)
    print(f"{sum(outcome.passed for outcome in outcomes)} passed, {failed} failed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
