"""How many stripes a view needs, asked over HTTP, and the edit that writes them into the text."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from piql_backend.profile_runs.schemas import ProfileRunRead
from piql_backend.profile_runs.service import ProfileRuns
from piql_profiler.measure.grid import GRIDS, Grid
from piql_profiler.measure.histogram import Histogram
from piql_profiler.measure.measurements import Measurement
from piql_profiler.runs.run_files import RunDirectory, RunSettings

from .conftest import DEVELOPMENT

PATH = f"{DEVELOPMENT}/stripe-dials"
TEXT = """CREATE TABLE likes (post INT, fan VARCHAR(8), PRIMARY KEY (post, fan));
CREATE VIEW likesOf AS SELECT post, COUNT(*) AS n FROM likes GROUP BY post;
CREATE QUERY addLike AS INSERT INTO likes (post, fan) VALUES ([post], [fan]);
CREATE QUERY ofPost AS SELECT n FROM likesOf WHERE post = [post];
"""
FILES = [{"path": "a.piql", "text": TEXT}]


@pytest.fixture(params=["all"])
def run_id(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """A run of a cluster on which each write takes 2 ms, and each read 0.1 ms a request.

    The model of a run is kept by its id, so each run has its own.
    """
    name = f"of-cluster-{request.param}"
    points = [point for point in GRIDS["default"].points if request.param == "all" or not point.operator.is_of_writes]
    grid = Grid(request.param, tuple(points))
    directory = RunDirectory(tmp_path / "run", RunSettings("cql://127.0.0.1/likes", grid, 30.0, 1, 1))
    directory.write_interval(
        0,
        [
            Measurement(
                point,
                0,
                Histogram.of([2_000.0 if point.operator.is_of_writes else 100.0 * point.child_rows] * 400),
                0.0,
                1.0,
            )
            for point in grid.measured
        ],
    )
    directory.end("done")
    monkeypatch.setattr(ProfileRuns, "measurements_of", lambda self, run_id: tmp_path / "run")
    monkeypatch.setattr(ProfileRuns, "read", lambda self, run_id: ProfileRunRead.model_construct(id=name, drift=None))
    return name


async def test_it_says_how_many_a_rate_needs_and_what_reads_and_writes_take(
    client: httpx.AsyncClient, run_id: str
) -> None:
    question = {"files": FILES, "run_id": run_id, "view": "likesOf", "per_second": 900, "also": [5]}
    answer = await client.post(PATH, json=question)
    assert answer.status_code == 200, answer.text
    dial = answer.json()
    assert (dial["stripes"], dial["needed"], dial["write"], dial["is_in_turn"]) == (1, 4, "addLike", False)
    assert dial["partition_bears"] == pytest.approx(500, rel=0.05)
    by_number = {step["stripes"]: step for step in dial["steps"]}
    assert list(by_number) == [1, 2, 4, 5, 8, 16, 32, 64]
    assert by_number[1]["write_ms"] is None
    assert by_number[2]["write_ms"] > by_number[8]["write_ms"] > 4.0
    assert by_number[8]["read_requests"] == 8
    assert by_number[8]["read_ms"] > by_number[1]["read_ms"]


@pytest.mark.parametrize("per_second", [1e-300, 1e12])
async def test_it_answers_every_rate_that_may_be_typed(
    client: httpx.AsyncClient, run_id: str, per_second: float
) -> None:
    answer = await client.post(
        PATH, json={"files": FILES, "run_id": run_id, "view": "likesOf", "per_second": per_second}
    )
    assert answer.status_code == 200, answer.text
    assert answer.json()["needed"] == (1 if per_second < 1 else None)


@pytest.mark.parametrize("run_id", ["reads"], indirect=True)
async def test_it_says_what_the_run_has_not_measured(client: httpx.AsyncClient, run_id: str) -> None:
    question = {"files": FILES, "run_id": run_id, "view": "likesOf", "per_second": 900}
    answer = (await client.post(PATH, json=question)).json()
    assert (answer["kind"], answer["missing"]["operator"]) == ("not-measured", "Write")


@pytest.mark.parametrize(("view", "per_second", "code"), [("likes", 1, "not-predictable"), ("v", 0, "invalid-request")])
async def test_what_has_no_answer_is_refused(
    client: httpx.AsyncClient, run_id: str, view: str, per_second: float, code: str
) -> None:
    question = {"files": FILES, "run_id": run_id, "view": view, "per_second": per_second}
    answer = await client.post(PATH, json=question)
    assert (answer.status_code, answer.json()["code"]) == (422, code)


async def test_the_edit_is_compiled_with_its_queries(client: httpx.AsyncClient) -> None:
    change = {"kind": "set-stripes", "view": "likesOf", "stripes": 4, "new_name": "likesInFour"}
    edit = (await client.post("/api/language/schema-edits", json={"files": FILES, "change": change})).json()
    assert (edit["new_errors"], edit["now_refused"]) == ([], [])
    texts = "".join(part["text"] for part in edit["edits"])
    assert "CREATE VIEW likesInFour" in texts
    assert "STRIPES 4" in texts
    assert "SELECT SUM(n) AS n FROM likesInFour WHERE post = [post] GROUP BY post" in texts
