"""What failed is said by name, with what it said, whichever program ran the tests."""

import json
from pathlib import Path
from typing import Any

from failures import LINES_OF_EACH, in_cluster, in_junit, in_playwright, in_vitest


def written(path: Path, report: object) -> Path:
    path.write_text(report if isinstance(report, str) else json.dumps(report))
    return path


def attempt(status: str, *messages: str) -> dict[str, Any]:
    return {"status": status, "errors": [{"message": message} for message in messages]}


JUNIT = """<testsuites><testsuite>
<testcase classname="tests.rows" name="test_good"/>
<testcase classname="tests.rows" name="test_bad"><failure message="assert 1 == 2">the trace</failure></testcase>
<testcase classname="tests.rows" name="test_left_out"><skipped message="no disk"/></testcase>
</testsuite></testsuites>"""


def test_pytest_says_what_failed_and_what_was_skipped(tmp_path: Path) -> None:
    expected = ["tests.rows::test_bad\n    assert 1 == 2", "tests.rows::test_left_out\n    no disk"]
    assert list(in_junit(written(tmp_path / "engine.xml", JUNIT))) == expected


def test_the_tests_of_a_cluster_are_read_beside_its_report(tmp_path: Path) -> None:
    written(tmp_path / "cluster.xml", JUNIT)
    assert len(list(in_cluster(tmp_path / "cluster.json"))) == 2


def test_vitest_says_what_failed_and_which_file_it_could_not_load(tmp_path: Path) -> None:
    failed = {"status": "failed", "fullName": "a caret stays", "failureMessages": ["expected 1 to be 2"]}
    files = [
        {"name": "caret.test.ts", "status": "failed", "assertionResults": [{"status": "passed"}, failed]},
        {"name": "plan.test.ts", "status": "failed", "assertionResults": [], "message": "no such module"},
    ]
    expected = ["a caret stays\n    expected 1 to be 2", "plan.test.ts\n    no such module"]
    assert list(in_vitest(written(tmp_path / "frontend.json", {"testResults": files}))) == expected


def test_playwright_says_each_failed_try_without_colours(tmp_path: Path) -> None:
    tries = [attempt("failed", "\x1b[31mexpected\x1b[39m a notice"), attempt("passed")]
    spec = {
        "file": "7-names.spec.ts",
        "line": 50,
        "title": "a name",
        "tests": [{"expectedStatus": "passed", "results": tries}],
    }
    nested = {"suites": [{"suites": [{"specs": [spec]}]}], "errors": [{"message": "no browser"}]}
    expected = ["outside of the tests\n    no browser", "7-names.spec.ts:50 a name\n    expected a notice"]
    assert list(in_playwright(written(tmp_path / "e2e.json", nested))) == expected


def test_of_a_long_message_the_first_lines_are_kept(tmp_path: Path) -> None:
    errors = [{"message": "\n".join(str(line) for line in range(100))}]
    (failure,) = in_playwright(written(tmp_path / "e2e.json", {"suites": [], "errors": errors}))
    assert failure.splitlines()[-2:] == [f"    {LINES_OF_EACH - 1}", "    …"]
