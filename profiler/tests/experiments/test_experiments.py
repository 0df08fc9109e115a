"""Each experiment runs, and leaves rows, a figure, a page and a result that say the same."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pyarrow.parquet as pq
import pytest
from piql_profiler.experiments.chart import drawn
from piql_profiler.experiments.experiment import Chart, Experiment, Outcome, Series
from piql_profiler.experiments.files import read_result, write
from piql_profiler.experiments.papers import BY_NAME, EXPERIMENTS
from piql_profiler.experiments.papers.table_1_p99 import NEEDED, known
from piql_profiler.experiments.stage import Stage

SAMPLES = Path(__file__).parents[3] / "sample-apps"
QUICK = ("vldb-table-1", "paging")


def run(name: str) -> Outcome:
    return BY_NAME[name].run(Stage(SAMPLES, is_short=True))


@pytest.fixture(scope="module")
def outcomes() -> dict[str, Outcome]:
    return {name: run(name) for name in QUICK}


def found_wrong(outcome: Outcome) -> list[str]:
    return [claim.ours for claim in outcome.claims if claim.verdict == "disagrees"]


def test_names_are_unique_and_can_be_typed() -> None:
    assert len(BY_NAME) == len(EXPERIMENTS)
    assert all(re.fullmatch(r"[a-z0-9-]+", experiment.name) for experiment in EXPERIMENTS)


def test_table_1_finds_the_indexes_of_the_paper(outcomes: dict[str, Outcome]) -> None:
    claims = outcomes["vldb-table-1"].claims
    assert [claim.verdict for claim in claims] == ["agrees", "agrees", "agrees", "undecidable"]
    assert claims[1].ours == "5 indexes are read; 13 of 13 queries read the ones that the paper names"


def test_each_page_costs_the_same(outcomes: dict[str, Outcome]) -> None:
    by_cursor = [row for row in outcomes["paging"].rows if row["way"] == "PAGINATE"]
    assert {(row["requests"], row["rows read"]) for row in by_cursor} == {(1, 100)}
    assert outcomes["paging"].claims[0].verdict == "agrees"


def test_a_p99_is_decided_by_what_independent_executions_lie_beyond_it() -> None:
    chance = np.random.default_rng(1)
    alone = chance.lognormal(size=40_000)
    enough = known(list(alone))
    assert enough.tail >= NEEDED
    assert enough.is_decided
    assert enough.low_ms < enough.p99_ms < (enough.high_ms or 0.0)
    few = known(list(alone[:20_000]))
    assert (few.executions, few.is_decided) == (20_000, False)
    together = known(list(np.repeat(alone[:4_000], 10)))  # ten by ten they are slow together
    assert together.tail < NEEDED / 5
    assert known(list(alone[:100])).high_ms is None


AT_LENGTH = ("s3-tables-3-4",)  # a short run has other pages in its cache than the paper's; its requests have tests


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(set(BY_NAME) - {*QUICK, *AT_LENGTH}))
def test_an_experiment_finds_nothing_wrong_in_what_is_counted(name: str) -> None:
    outcome = run(name)
    assert outcome.rows
    assert found_wrong(outcome) == []


def test_a_run_leaves_files_that_say_the_same(outcomes: dict[str, Outcome], tmp_path: Path) -> None:
    experiment, outcome = BY_NAME["paging"], outcomes["paging"]
    write(tmp_path, experiment, outcome, 1.23, 1000.0)
    assert pq.read_table(tmp_path / "rows.parquet").to_pylist() == [dict(row) for row in outcome.rows]
    assert "PAGINATE" in "".join(ElementTree.parse(tmp_path / "figure.svg").getroot().itertext())
    page = (tmp_path / "index.html").read_text()
    assert all(claim.paper in page and f"<em>{claim.verdict}</em>" in page for claim in outcome.claims)
    result = read_result(tmp_path)
    assert result is not None
    assert (result["verdict"], result["seconds"], result["ended_at"]) == ("undecidable", 1.2, 1000.0)
    assert len(result["claims"]) == len(outcome.claims)


def test_bars_are_drawn_for_names_and_nothing_without_a_chart(outcomes: dict[str, Outcome], tmp_path: Path) -> None:
    write(tmp_path, BY_NAME["vldb-table-1"], outcomes["vldb-table-1"], 1, 1)
    assert not (tmp_path / "figure.svg").exists()
    assert "<figure>" not in (tmp_path / "index.html").read_text()


def test_bars_of_nothing_are_drawn() -> None:
    chart = Chart("title", "", "calls", (Series("none", (("a", 0.0), ("b", 0.0))),), "linear")
    assert drawn(chart).count("<rect") == 3  # the page and both bars


def test_a_folder_without_a_whole_result_has_none(tmp_path: Path) -> None:
    assert read_result(tmp_path) is None
    (tmp_path / "result.json").write_text('{"verdict": ')
    assert read_result(tmp_path) is None


def test_texts_are_escaped_in_the_page(tmp_path: Path) -> None:
    outcome = Outcome("how", ("a",), ({"a": "<b>"},), None, ())
    write(tmp_path, Experiment("n", "p", "<i>", "about", 1, lambda stage: outcome), outcome, 1, 1)
    page = (tmp_path / "index.html").read_text()
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    assert "<i>" not in page
