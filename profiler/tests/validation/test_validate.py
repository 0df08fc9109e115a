"""`piql validate` on a small store: queries and writes beside their predictions."""

import errno
import json
import signal
import subprocess
import sys
from pathlib import Path

import piql
import pytest
from patience import PATIENCE
from piql_profiler.commands.validate import validate as piql_validate
from piql_profiler.measure.grid import GRIDS, Operator, Point
from piql_profiler.measure.workload import RESERVED_PREFIX
from piql_profiler.runs import run_files
from piql_profiler.runs.run_files import RunSettings, read_info
from piql_profiler.validation.case import observed_work
from piql_profiler.validation.report import as_json, as_page
from piql_profiler.validation.validate import Validation

SCADR = """
CREATE TABLE subscriptions (
  owner VARCHAR(32), target VARCHAR(32), PRIMARY KEY (owner, target), CARDINALITY LIMIT 100 (owner)
);
CREATE TABLE thoughts (owner VARCHAR(32), posted INT, text VARCHAR(140), PRIMARY KEY (owner, posted));
CREATE QUERY thoughtstream AS
SELECT t.owner, t.posted, t.text FROM subscriptions s JOIN thoughts t ON t.owner = s.target
WHERE s.owner = [1: me] ORDER BY t.posted DESC LIMIT [2: count] MAX 10;
CREATE QUERY mine AS SELECT posted, text FROM thoughts WHERE owner = [1: me] ORDER BY posted DESC LIMIT 5;
CREATE QUERY follow AS INSERT INTO subscriptions (owner, target) VALUES ([1: owner], [2: target]);
CREATE QUERY post AS INSERT INTO thoughts (owner, posted, text) VALUES ([1: me], [2: posted], [3: text]);
"""
GRID = {
    "row_bytes": [40, 200],
    "scan_rows": [1, 10],
    "sorted_child_rows": [1, 10],
    "sorted_rows": [10],
}


@pytest.fixture
def store(tmp_path: Path) -> str:
    """Everyone of four follows the three others, and has 20 thoughts."""
    url = f"embedded:{tmp_path}/app.db?synchronous=NORMAL"
    users = ["ada", "bob", "cy", "dee"]
    with piql.connect(url) as database:
        database.deploy(piql.compile(SCADR))
        database.load("subscriptions", [{"owner": a, "target": b} for a in users for b in users if a != b])
        database.load("thoughts", [{"owner": a, "posted": at, "text": "x" * 100} for a in users for at in range(20)])
    return url


def test_deployed_queries_are_held_against_their_predictions(
    store: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    options = ["--interval", "1.5", "--intervals", "2", "--grid", json.dumps(GRID)]
    assert piql_validate(["--store", store, "--out", str(out), *options]) == 0
    printed = capsys.readouterr()
    assert "interval 2 of 2" in printed.err
    assert "surface: mean absolute error" in printed.out

    report = json.loads((out / "validation.json").read_text())
    assert [query["query"] for query in report["queries"]] == ["thoughtstream", "mine"]
    stream = report["queries"][0]
    assert stream["operators"] == 2
    assert stream["executions"] >= 10  # five of each block at least
    assert stream["actual_low_ms"] <= stream["actual_p99_ms"]
    assert stream["actual_median_ms"] <= stream["actual_p99_ms"]
    assert stream["predicted_median_ms"]["surface"] <= stream["predicted_p99_ms"]["surface"]
    assert set(stream["predicted_p99_ms"]) == {"paper", "surface"}
    assert read_info(out).state == "done"  # a profile like any other

    page = (out / "report.html").read_text()
    assert "thoughtstream" in page
    assert "<svg" in page
    assert "http" not in page.replace("http://www.w3.org", "")


def test_writes_are_held_against_their_predictions_where_they_may_be_executed(
    store: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    grid = {"row_bytes": [200], "write_entries": [0, 2], "limit_groups": [1], "limit_rows": [1, 100]}
    options = ["--store", store, "--query", "follow", "--query", "post", "--interval", "1", "--intervals", "2"]
    options += ["--grid", json.dumps(grid)]
    assert piql_validate([*options, "--out", str(tmp_path / "refused")]) == 1
    assert "follow changes the data: add --writes" in capsys.readouterr().err

    out = tmp_path / "out"
    assert piql_validate([*options, "--out", str(out), "--writes"]) == 0
    report = json.loads((out / "validation.json").read_text())
    post, follow = sorted(report["queries"], key=lambda query: query["operators"])
    assert (post["query"], post["operators"]) == ("post", 1)
    assert (follow["query"], follow["operators"]) == ("follow", 2)  # its record, and the group that it enters
    assert post["executions"] >= 10
    assert follow["predicted_p99_ms"]["surface"] > 0
    with piql.connect(store) as database:
        rows = database.some_rows("thoughts", ["owner"], 100_000)
    assert len(rows) >= 80 + post["executions"]  # and those that warm up


def test_a_query_is_predicted_at_the_cardinalities_it_was_executed_with() -> None:
    plan = piql.compile(SCADR).queries["thoughtstream"].plan
    assert plan is not None
    paths = {operator.operator: operator.path for operator in observed_work(plan, {}, 0).operators}  # type: ignore[arg-type]
    sums = {paths["IndexScan"]: (10, 30), paths["SortedIndexJoin"]: (30, 240)}
    scan, join = observed_work(plan, sums, 10).operators  # type: ignore[arg-type]
    assert scan.point == Point(Operator.INDEX_SCAN, 1, 3, scan.point.row_bytes)
    assert join.point == Point(Operator.SORTED_INDEX_JOIN, 3, 8, join.point.row_bytes)


def test_a_query_that_is_not_deployed_is_named(store: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert piql_validate(["--store", store, "--out", str(tmp_path / "out"), "--query", "none"]) == 1
    assert "no query 'none' is deployed" in capsys.readouterr().err


def test_a_store_without_a_query_is_said_before_anything_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert piql_validate(["--store", f"embedded:{tmp_path}/empty.db", "--out", str(tmp_path / "out")]) == 1
    assert "no query that reads is deployed" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("options", [["--interval", "nan"], ["--interval", "inf"], ["--load", "nan"]])
def test_wrong_numbers_end_with_2(store: str, tmp_path: Path, options: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        piql_validate(["--store", store, "--out", str(tmp_path / "out"), *options])
    assert ended.value.code == 2


def test_a_validation_that_is_stopped_is_cancelled_and_takes_its_rows_along(store: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    options = ["--store", store, "--out", str(out), "--interval", "1", "--intervals", "600", "--grid", json.dumps(GRID)]
    process = subprocess.Popen(
        [sys.executable, "-m", "piql_profiler.commands", "validate", *options], stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    assert "interval 1 of 600" in process.stderr.readline()
    assert list(tmp_path.glob(f"{RESERVED_PREFIX}*"))
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=PATIENCE) == 130
    assert "Traceback" not in process.stderr.read()
    info = read_info(out)
    assert (info.state, info.message) == ("cancelled", "stopped before the end")
    assert info.complete_intervals >= 1
    assert not list(tmp_path.glob(f"{RESERVED_PREFIX}*"))


def test_a_full_disk_is_said_and_not_met_again_on_the_way_out(
    store: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: object, **options: object) -> None:
        monkeypatch.setattr(Path, "write_text", full)
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(run_files.pq, "write_table", full)
    options = ["--interval", "1", "--intervals", "1", "--grid", json.dumps(GRID)]
    assert piql_validate(["--store", store, "--out", str(tmp_path / "out"), *options]) == 1
    assert "the disk is full" in capsys.readouterr().err


def test_a_report_can_be_shown_to_others(store: str) -> None:
    settings = RunSettings("cql://me:secret@node/app", GRIDS["small"])
    validation = Validation(settings, (), (("<b>", "no <i>rows"),))
    assert "secret" not in json.dumps(as_json(validation)) + as_page(validation)
    assert "<b>" not in as_page(validation)
