"""SLOs as OpenSLO documents, written and read."""

import re

import pytest
from piql_profiler.predictor.openslo import Objective, UnreadableSlo, read_openslo, write_openslo

OURS = (Objective("thoughtstream", 0.99, 50.0, 600.0), Objective("find_User", 0.999, 7.5, 5_400.0))


def test_what_is_written_reads_back() -> None:
    assert read_openslo(write_openslo(OURS)) == OURS


def test_a_document_has_the_fields_and_names_that_openslo_asks_for() -> None:
    text = write_openslo(OURS)
    for line in (
        "apiVersion: openslo/v1",
        "kind: SLO",
        "budgetingMethod: Timeslices",
        "timeSliceWindow: 10m",
        "op: lte",
    ):
        assert line in text
    assert "  name: find-user\n" in text
    assert "timeSliceWindow: 90m" in text


def test_names_are_as_openslo_asks_and_each_is_there_once() -> None:
    queries = ["findUser", "find_user", "find user", "x" * 70, "-a-", "…"]
    text = write_openslo(Objective(query, 0.99, 5.0, 600.0) for query in queries)
    names = re.findall(r"^  name: (.*)$", text, re.MULTILINE)
    assert len(set(names)) == len(queries)
    assert all(re.fullmatch(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", f"{name}-latency") for name in names)
    assert [objective.query for objective in read_openslo(text)] == queries


@pytest.mark.parametrize("seconds", [30.0, 90.0, 600.5])
def test_an_interval_that_openslo_has_no_unit_for_is_not_written(seconds: float) -> None:
    with pytest.raises(ValueError, match="a whole number of minutes"):
        write_openslo([Objective("thoughtstream", 0.99, 50.0, seconds)])


def test_a_threshold_in_seconds_is_one_of_a_thousand_milliseconds() -> None:
    text = GOOD.replace("unit: ms", "unit: s").replace("value: 50.0", "value: 0.05")
    assert read_openslo(text) == OURS[:1]


def test_an_slo_of_another_tool_is_named_by_its_metadata_and_other_kinds_are_passed_over() -> None:
    text = """
apiVersion: openslo/v1
kind: Service
metadata: {name: feed}
---
apiVersion: openslo/v1
kind: SLO
metadata: {name: latency}
spec:
  budgetingMethod: Timeslices
  objectives: [{op: lte, value: 20, target: 0.9, timeSliceTarget: 0.95, timeSliceWindow: 1h}]
"""
    assert read_openslo(text) == (Objective("latency", 0.95, 20.0, 3_600.0),)


GOOD = write_openslo(OURS[:1])


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "no document of kind SLO"),
        ("kind: [", "not YAML"),
        ("- 1", "apiVersion and kind"),
        (GOOD.replace("openslo/v1", "openslo/v9"), "apiVersion is openslo/v1, not openslo/v9"),
        (GOOD.replace("Timeslices", "Occurrences"), "thoughtstream: budgetingMethod is Timeslices"),
        (GOOD.replace("op: lte", "op: gt"), "op is lte or lt"),
        (GOOD.replace("unit: ms", "unit: bytes"), "unit is one of ms, s, us, not bytes"),
        (GOOD.replace("value: 50.0", "value: .nan"), "value is a number above 0"),
        (GOOD.replace("value: 50.0", "value: .inf"), "value is a number above 0"),
        (GOOD.replace("value: 50.0", "value: 2026-13-45"), "value is a number above 0|not YAML"),
        ("[" * 5_000, "not YAML"),
        ("apiVersion: openslo/v1\nkind: SLO\nmetadata: {name: a}\nspec: [1]", "a: spec is an object"),
        (GOOD.replace("value: 50.0", "value: -1"), "value is a number above 0"),
        (
            GOOD.replace("timeSliceTarget: 0.99", "timeSliceTarget: 99"),
            "timeSliceTarget is a number above 0 and",
        ),
        (GOOD.replace("10m", "ten"), "timeSliceWindow is written like 10m, not ten"),
        (GOOD + GOOD, "thoughtstream has two SLOs"),
    ],
)
def test_what_cannot_be_used_is_said_in_its_own_words(text: str, complaint: str) -> None:
    with pytest.raises(UnreadableSlo, match=complaint):
        read_openslo(text)
