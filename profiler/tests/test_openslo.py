import pytest
from piql_profiler.openslo import Objective, UnreadableSlo, read_openslo, write_openslo

OURS = (Objective("thoughtstream", 0.99, 50.0, 600.0), Objective("find_User", 0.999, 7.5, 90.0))


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
    assert "timeSliceWindow: 90s" in text


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
        ("kind: [", "no YAML"),
        ("- 1", "apiVersion and kind"),
        (GOOD.replace("openslo/v1", "openslo/v9"), "apiVersion is openslo/v1, not openslo/v9"),
        (GOOD.replace("Timeslices", "Occurrences"), "thoughtstream: budgetingMethod is Timeslices"),
        (GOOD.replace("op: lte", "op: gt"), "op is lte"),
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
