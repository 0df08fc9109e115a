"""A run must never look better than it was: nothing run, no report and skipped tests are failures."""

import json
import sys
import threading
from pathlib import Path

import pytest
from run_suites import Outcome, environment, judge, may_start, read_junit, read_playwright, read_vitest, run, run_all
from suites import GROUPS, PLACES, Suite

PATIENCE = 300.0  # seconds, which only a failure takes
JUNIT = '<testsuites><testsuite tests="{tests}" failures="{failures}" errors="0" skipped="{skipped}"/></testsuites>'


def judged(tmp_path: Path, text: str | None, status: int = 0) -> Outcome:
    report = tmp_path / "report.xml"
    if text is not None:
        report.write_text(text)
    return judge(Suite("engine", ("true",), "junit"), status, "", report, 1.0)


def test_passed_tests_are_counted(tmp_path: Path) -> None:
    outcome = judged(tmp_path, JUNIT.format(tests=5, failures=0, skipped=0))
    assert (outcome.passed, outcome.failed, outcome.is_good) == (5, 0, True)


def test_a_suite_that_ran_nothing_fails(tmp_path: Path) -> None:
    outcome = judged(tmp_path, JUNIT.format(tests=0, failures=0, skipped=0), status=5)
    assert (outcome.failed, outcome.is_good) == (1, False)


def test_a_suite_without_a_report_fails(tmp_path: Path) -> None:
    assert judged(tmp_path, None) == Outcome("engine", 0, 1, 0, 1.0, "no report")
    assert judged(tmp_path, "").note == "no report"


def test_a_bad_exit_status_fails_though_every_test_passed(tmp_path: Path) -> None:
    outcome = judged(tmp_path, JUNIT.format(tests=5, failures=0, skipped=0), status=3)
    assert (outcome.passed, outcome.failed, outcome.note) == (5, 1, "exit status 3")


def test_a_skipped_test_fails_the_suite(tmp_path: Path) -> None:
    assert not judged(tmp_path, JUNIT.format(tests=5, failures=0, skipped=1)).is_good


def test_failures_and_skips_are_no_passes(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    report.write_text(JUNIT.format(tests=5, failures=2, skipped=1))
    counts = read_junit(report)
    assert (counts.passed, counts.failed, counts.skipped) == (2, 2, 1)


def test_a_test_file_that_cannot_be_loaded_fails(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    files = [{"status": "failed", "assertionResults": []}]
    counts = {"numPassedTests": 3, "numFailedTests": 0, "numPendingTests": 0, "testResults": files}
    report.write_text(json.dumps(counts))
    assert read_vitest(report).failed == 1


def test_an_end_to_end_test_that_passes_only_again_fails(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    stats = {"expected": 3, "unexpected": 0, "flaky": 1, "skipped": 0}
    report.write_text(json.dumps({"stats": stats, "errors": []}))
    assert read_playwright(report).failed == 1


@pytest.mark.parametrize(("command", "passed"), [("true", 1), ("false", 0)])
def test_a_check_counts_as_one(command: str, passed: int) -> None:
    outcome = run(Suite("a-check-of-this-test", (command,)))
    assert (outcome.passed, outcome.failed) == (passed, 1 - passed)


def test_the_processor_seconds_of_a_suite_and_its_children_are_told() -> None:
    burning = "import time\nwhile time.process_time() < 0.3: pass"
    outcome = run(
        Suite(
            "a-check-of-this-test",
            (sys.executable, "-c", f"import subprocess, sys; subprocess.run([sys.executable, '-c', {burning!r}])"),
        )
    )
    assert outcome.cpu_seconds >= 0.3


def test_suites_keep_bytecode_though_the_shell_keeps_none() -> None:
    assert environment({"PATH": "/bin", "PYTHONDONTWRITEBYTECODE": "1"}) == {"PATH": "/bin"}


def test_a_suite_that_hangs_is_stopped_and_fails() -> None:
    outcome = run(Suite("a-check-of-this-test", ("sleep", "3600"), minutes=0))
    assert (outcome.failed, outcome.note) == (1, "stopped after 0 minutes")


class Stage:
    """Runs suites that end when they are told to, and says which are under way."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._under_way = set[str]()
        self._told = set[str]()

    def run(self, suite: Suite) -> Outcome:
        with self._changed:
            self._under_way.add(suite.name)
            self._changed.notify_all()
            assert self._changed.wait_for(lambda: suite.name in self._told, PATIENCE)
            self._under_way.discard(suite.name)
            self._changed.notify_all()
        return Outcome(suite.name, 1, 0, 0, 0.0)

    def end(self, *names: str) -> None:
        with self._changed:
            self._told.update(names)
            self._changed.notify_all()

    def wait_for(self, *names: str) -> None:
        """Return when these suites are under way, and no other."""
        with self._changed:
            assert self._changed.wait_for(lambda: self._under_way == set(names), PATIENCE), self._under_way


def test_suites_start_in_their_order_as_soon_as_there_are_places() -> None:
    stage, outcomes = Stage(), list[Outcome]()
    suites = [Suite("build", ()), Suite("wide", (), places=PLACES - 1), Suite("pair", (), places=2), Suite("last", ())]
    running = threading.Thread(target=lambda: outcomes.extend(run_all(suites, stage.run)))
    running.start()
    stage.wait_for("build", "wide")
    stage.end("build")  # leaves one place, which the last one would fill: it waits for its turn
    stage.wait_for("wide")
    stage.end("wide")
    stage.wait_for("pair", "last")
    stage.end("last", "pair")
    running.join()
    assert [outcome.suite for outcome in outcomes] == ["build", "wide", "pair", "last"]


def test_a_suite_starts_when_the_one_it_comes_after_is_over() -> None:
    before, suite, neighbour = Suite("before", ()), Suite("next", (), after="before"), Suite("beside", ())
    assert not may_start(suite, [before, neighbour], [])
    assert not may_start(suite, [], [before])
    assert may_start(suite, [neighbour], [])


def test_a_suite_starts_only_where_its_places_are_free() -> None:
    assert may_start(Suite("a", (), places=2), [Suite("b", (), places=PLACES - 2)], [])
    assert not may_start(Suite("a", (), places=2), [Suite("b", (), places=PLACES - 1)], [])


@pytest.mark.parametrize("group", GROUPS)
def test_every_suite_of_a_group_can_start(group: str) -> None:
    names = [suite.name for suite in GROUPS[group]]
    assert all(suite.places <= PLACES for suite in GROUPS[group])
    assert all(suite.after in ("", *names[:position]) for position, suite in enumerate(GROUPS[group]))
