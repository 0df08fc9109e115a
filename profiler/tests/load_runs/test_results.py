"""A result says what is known, and no more: percentiles, verdicts, files and pages."""

import json
import re
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from piql_profiler.load_runs.arrivals import Step
from piql_profiler.load_runs.hdr_log import write_log
from piql_profiler.load_runs.page import as_page
from piql_profiler.load_runs.refusals import is_refusal
from piql_profiler.load_runs.result import LoadRun, ThresholdResult
from piql_profiler.load_runs.result_file import UnreadableResult, as_json, read_result, write_result
from piql_profiler.load_runs.verdicts import verdict_of
from piql_profiler.load_runs.wording import as_text
from piql_profiler.predictor.openslo import Objective
from piql_profiler.runs.hlog import decode

from .laws import run_of, setting_of


def steady(milliseconds: float, rate: float = 20.0, seconds: float = 100.0) -> LoadRun:
    """A store that takes about so long, and never twice as long."""
    random = Random(1)
    return run_of(lambda began: milliseconds * random.uniform(0.8, 1.2) / 1000, [Step(rate, seconds)])


def slo(milliseconds: float) -> Objective:
    return Objective("*", 0.99, milliseconds, 600.0)


def test_an_slo_is_kept_broken_or_not_decided_by_the_calls() -> None:
    run = steady(1.0)
    (line,) = run.lines
    assert verdict_of(run, line, slo(10.0)).outcome == "kept"
    assert verdict_of(run, line, slo(0.5)).outcome == "broken"


def test_few_calls_decide_nothing() -> None:
    run = steady(1.0, rate=2.0)
    (line,) = run.lines
    verdict = verdict_of(run, line, slo(10.0))
    assert (verdict.outcome, verdict.needed) == ("too few", 368)
    assert line.quantile(0.99) is None
    assert line.quantile(0.5) is not None


def test_errors_keep_no_slo() -> None:
    random = Random(1)
    run = run_of(lambda began: random.uniform(0.001, 0.002), [Step(20.0, 100.0)], fails=lambda began: began > 90.0)
    (line,) = run.lines
    assert verdict_of(run, line, slo(10.0)).outcome == "broken"


def test_too_few_connections_are_named_as_the_limit_instead_of_the_store() -> None:
    run = steady(100.0, rate=50.0, seconds=60.0)
    assert "all 1 connections were in use" in (run.limit_of_client(0) or "")
    (line,) = run.lines
    assert verdict_of(run, line, slo(10.0)).outcome == "client"


def test_a_client_that_computes_all_the_time_is_named_as_the_limit() -> None:
    run = steady(1.0)
    busy = replace(run, timeline=tuple(replace(second, at=50.0, computing=0.97) for second in run.timeline))
    assert "the client computed for 97% of the time" in (busy.limit_of_client(0) or "")
    assert run.limit_of_client(0) is None


def test_what_a_client_computed_after_it_was_stopped_does_not_count() -> None:
    run = steady(1.0)
    (second,) = run.timeline
    busy, resting = replace(second, at=1.0, computing=0.9), replace(second, at=2.0, computing=0.0)
    stopped = replace(run, timeline=(busy, resting), ended="stopped", seconds=1.3)
    assert "the client computed for 90% of the time" in (stopped.limit_of_client(0) or "")


def test_a_percentile_that_calls_without_an_end_may_raise_is_only_known_to_be_so_long_at_least() -> None:
    (line,) = steady(1.0).lines
    one, many = replace(line, unanswered=1), replace(line, unanswered=line.latency.total // 2)
    assert [one.is_at_least(quantile) for quantile in (0.5, 0.99)] == [False, False]
    assert [many.is_at_least(quantile) for quantile in (0.5, 0.99)] == [True, True]


def test_a_result_is_read_as_it_was_written(tmp_path: Path) -> None:
    run = replace(
        run_of(lambda began: 0.02, [Step(30.0, 20.0), Step(60.0, 20.0)], queries=("findUser", "stream")),
        thresholds=(ThresholdResult("p99 > 50ms", "crossed", 12.0, 480, 61_000.0, "us"),),
    )
    write_result(tmp_path / "run.json", run)
    assert as_json(read_result(tmp_path / "run.json")) == as_json(run)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("no JSON", "is no JSON"),
        ("[]", "is no load run"),
        ('{"format": "piql-load-run", "version": 2}', "has version 2, and this piql reads version 1"),
        ('{"format": "piql-load-run", "version": 1}', "is damaged"),
    ],
)
def test_a_file_that_is_no_result_says_so(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "run.json").write_text(content)
    with pytest.raises(UnreadableResult, match=message):
        read_result(tmp_path / "run.json")


def test_json_has_percentiles_only_where_there_are_enough_calls() -> None:
    (line,) = as_json(steady(1.0, rate=2.0))["lines"]
    assert line["percentiles"].keys() == {"p50", "p95"}
    (line,) = as_json(steady(1.0))["lines"]
    assert line["percentiles"]["p99"]["low_ms"] <= line["percentiles"]["p99"]["ms"]


def test_the_log_has_latencies_and_service_times_of_each_step(tmp_path: Path) -> None:
    run = run_of(lambda began: 0.02, [Step(30.0, 20.0), Step(60.0, 20.0)])
    write_log(tmp_path / "run.hlog", run)
    lines = re.findall(
        r"^Tag=(\S+?),([\d.]+),([\d.]+),[\d.]+,(\S+)$", (tmp_path / "run.hlog").read_text(), re.MULTILINE
    )
    assert [line[:3] for line in lines] == [
        ("stream:30:rt", "0.000", "20.000"),
        ("stream:30:st", "0.000", "20.000"),
        ("stream:60:rt", "20.000", "20.000"),
        ("stream:60:st", "20.000", "20.000"),
    ]
    assert decode(lines[0][3]).total == run.lines[0].latency.total


def test_the_page_needs_nothing_else_and_shows_names_as_text() -> None:
    run = steady(1.0)
    named = replace(run, setting=setting_of([Step(20.0, 100.0)]), notes=("<script>alert(1)</script>",))
    page = as_page(named, {"*": slo(10.0)})
    assert "<script" not in page
    assert not re.search(r"(src|href)=|https?://|@import|url\(", page)
    assert "prefers-color-scheme: dark" in page
    assert "SLO p99 ≤ 10 ms: kept" in page


def test_the_text_says_what_was_used_of_the_bound_and_what_is_too_few() -> None:
    text = as_text(steady(1.0, rate=2.0), {})
    assert re.search(r"^stream .* too few +11/101$", text, re.MULTILINE)
    assert re.search(r"a p99 needs about 300 independent calls.*: \d+ calls of stream as \d+\.$", text, re.MULTILINE)


def test_a_partial_result_says_so_and_why() -> None:
    run = replace(steady(1.0), ended="interrupted", message="what came until then is kept", seconds=40.0)
    text = as_text(run, {})
    assert "This result is partial: the run was interrupted after 40 s: what came until then is kept." in text
    assert "(40 s of it)" in text
    assert json.loads(json.dumps(as_json(run)))["is_partial"] is True


def test_each_second_tells_of_each_query_what_ended_and_what_was_refused(tmp_path: Path) -> None:
    run = run_of(lambda began: 0.02, [Step(30.0, 20.0)], fails=lambda began: began > 5.0, queries=("a", "b"))
    (second,) = run.timeline
    assert [query.query for query in second.queries] == ["a", "b"]
    assert sum(query.calls for query in second.queries) == sum(line.due for line in run.lines)
    assert sum(query.errors for query in second.queries) == second.errors > 0
    assert second.refused == 0  # a store that is away refuses nothing
    path = tmp_path / "run.json"
    write_result(path, run)
    assert read_result(path).timeline == run.timeline


@pytest.mark.parametrize(
    ("kind", "is_one"),
    [("duplicate-key", True), ("cardinality-violation", True), ("budget-used-up", True), ("store-silent", False),
     ("repair-pending", False), ("unreachable", False)],
)  # fmt: skip
def test_a_refusal_is_what_a_working_store_or_service_says_no_to(kind: str, is_one: bool) -> None:
    assert is_refusal(kind) == is_one


def test_a_closed_loop_is_named_in_words_files_and_logs(tmp_path: Path) -> None:
    run = run_of(lambda began: 0.002, [Step(None, 20.0)])
    assert "Closed loop on the store" in as_text(run, {})
    assert "As many calls as 1 connection could make in 20 s" in as_text(run, {})
    assert "Closed loop" in as_page(run, {})
    write_result(tmp_path / "run.json", run)
    assert read_result(tmp_path / "run.json").setting == run.setting
    write_log(tmp_path / "run.hlog", run)
    assert "Tag=stream:closed:rt" in (tmp_path / "run.hlog").read_text()
