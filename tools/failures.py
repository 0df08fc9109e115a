"""What failed in a suite, from its report: the name of each failed test and the first lines of what it said.

`run_suites.py` prints them last of all, where they are read first: the log of a suite is long, and its end is often the
output of a server.
"""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from typing import Any

LINES_OF_EACH = 25
COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def in_junit(report: Path) -> Iterator[str]:
    """The failed and the skipped tests in the XML that pytest writes."""
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        for result in case:
            if result.tag in ("failure", "error", "skipped"):
                said = result.get("message") or result.text or ""
                yield _failure(f"{case.get('classname')}::{case.get('name')}", said)


def in_vitest(report: Path) -> Iterator[str]:
    """The failed tests in the JSON that Vitest writes, and the files that could not be loaded."""
    for file in json.loads(report.read_text())["testResults"]:
        if file["status"] == "failed" and not file["assertionResults"]:
            yield _failure(file["name"], file.get("message", ""))
        for test in file["assertionResults"]:
            if test["status"] == "failed":
                yield _failure(test["fullName"], "\n".join(test["failureMessages"]))


def in_playwright(report: Path) -> Iterator[str]:
    """Each failed try of a test in the JSON that Playwright writes, and the errors outside of tests."""
    report_data = json.loads(report.read_text())
    for error in report_data["errors"]:
        yield _failure("outside of the tests", error.get("message", ""))
    for name, test in _playwright_tests(report_data["suites"]):
        for attempt in test["results"]:
            if attempt["status"] not in (test["expectedStatus"], "skipped"):
                yield _failure(name, "\n".join(error.get("message", "") for error in attempt["errors"]))


def _playwright_tests(suites: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    for suite in suites:
        yield from _playwright_tests(suite.get("suites", []))
        for spec in suite.get("specs", []):
            for test in spec["tests"]:
                yield f"{spec['file']}:{spec['line']} {spec['title']}", test


def in_cluster(report: Path) -> Iterator[str]:
    """The failed tests of a cluster, which pytest writes beside the report."""
    return in_junit(report.with_suffix(".xml"))


def _failure(name: str, said: str) -> str:
    lines = COLOURS.sub("", said).splitlines()
    kept = lines[:LINES_OF_EACH] + (["…"] if len(lines) > LINES_OF_EACH else [])
    return "\n".join([name, *(f"    {line}" for line in kept)])


FINDERS = {"junit": in_junit, "vitest": in_vitest, "playwright": in_playwright, "cluster": in_cluster}
