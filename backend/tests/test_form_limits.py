"""The numbers that forms accept are those that the API takes; the front end writes them in the units that are typed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from piql_backend.app import create_app

ROOT = Path(__file__).resolve().parents[2]
NUMBERS = (ROOT / "frontend" / "src" / "logic" / "numbers.ts").read_text()
SCHEMAS = create_app().openapi()["components"]["schemas"]
FORMS = [  # rule, schema, property, how many typed units make one of the API
    ("interval: { least: 0.1, most: 3600 }", "ProfileRunCreate", "interval_seconds", 1),
    ("intervals:", "ProfileRunCreate", "intervals", 1),
    ("executions:", "BurstCreate", "executions", 1),
    ("concurrency:", "BurstCreate", "concurrency", 1),
    ("percent:", "SloWrite", "quantile", 100),
    ("threshold:", "SloWrite", "threshold_ms", 1),
    ("interval: { least: 0.1, most: 86_400 }", "SloWrite", "interval_seconds", 1),
]


@pytest.mark.parametrize(("rule", "schema", "name", "factor"), FORMS)
def test_a_form_accepts_the_numbers_that_the_api_takes(rule: str, schema: str, name: str, factor: int) -> None:
    line = next(line for line in NUMBERS.splitlines() if rule in line)
    least, most = (float(number.replace("_", "")) for number in re.findall(r"(?:least|most): ([0-9._]+)", line))
    limits = SCHEMAS[schema]["properties"][name]
    assert most == limits["maximum"] * factor
    if "minimum" in limits:
        assert least == limits["minimum"] * factor
    else:
        assert least > limits["exclusiveMinimum"]


def test_every_rule_of_the_form_has_its_line_here() -> None:
    assert len(re.findall(r"least: [0-9]", NUMBERS)) == len(FORMS)
