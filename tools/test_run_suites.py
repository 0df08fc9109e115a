"""A run must never look better than it was: nothing run, no report and skipped tests are failures."""

import json
import sys
import threading
from pathlib import Path

import pytest
from run_suites import Outcome, environment, judge, read_junit, read_playwright, read_vitest, run, run_all
from suites import Suite

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
    found = {"numPassedTests": 3, "numFailedTests": 0, "numPendingTests": 0, "testResults": files}
    report.write_text(json.dumps(found))
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


def test_two_suites_of_one_core_run_together_and_one_that_wants_both_alone() -> None:
    suites = [Suite("a", ()), Suite("b", ()), Suite("both", (), is_alone=True), Suite("c", ())]
    together, under_way, seen = threading.Barrier(2), set[str](), dict[str, set[str]]()

    def ran(suite: Suite) -> Outcome:
        under_way.add(suite.name)
        if suite.name in "ab":
            together.wait(60)  # neither goes on before the other has begun
        seen[suite.name] = set(under_way)
        if suite.name in "ab":
            together.wait(60)
        under_way.discard(suite.name)
        return Outcome(suite.name, 1, 0, 0, 0.0)

    assert [outcome.suite for outcome in run_all(suites, ran)] == ["a", "b", "both", "c"]
    assert seen == {"a": {"a", "b"}, "b": {"a", "b"}, "both": {"both"}, "c": {"c"}}
