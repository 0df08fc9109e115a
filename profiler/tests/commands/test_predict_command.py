"""`piql predict` as a gate before a deployment: what it cannot tell, it says, and it never passes by leaving out."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from piql_profiler.commands.predict import predict as piql_predict
from piql_profiler.drift.judge import Canary, Look
from piql_profiler.drift.look import _write, canaries_of
from piql_profiler.measure.grid import GRIDS, Point
from piql_profiler.measure.histogram import Histogram
from piql_profiler.measure.measurements import Measurement
from piql_profiler.measure.precision import Precision
from piql_profiler.predictor.openslo import Objective, write_openslo
from piql_profiler.runs.run_files import RunDirectory, RunSettings

RECORDED = Path(__file__).parents[1] / "recorded-run"
SCHEMA = """
CREATE TABLE users (name VARCHAR(20) PRIMARY KEY, town VARCHAR(20));
CREATE TABLE posts (owner VARCHAR(20), at INT, text VARCHAR(140), PRIMARY KEY (owner, at));
CREATE QUERY latest AS SELECT at, text FROM posts WHERE owner = [1: me] ORDER BY at DESC LIMIT [2: count] MAX 50;
CREATE QUERY oldest AS SELECT at, text FROM posts WHERE owner = [1: me] ORDER BY at LIMIT [2: count] MAX 10;
CREATE QUERY everything AS SELECT at FROM posts;
CREATE QUERY post AS INSERT INTO posts (owner, at, text) VALUES ([1: me], [2: at], [3: text]);
"""
Run = Callable[[int], Path]


@pytest.fixture
def source(tmp_path: Path) -> str:
    (tmp_path / "feed.piql").write_text(SCHEMA)
    return str(tmp_path / "feed.piql")


@pytest.fixture
def run_of(tmp_path: Path) -> Run:
    """Make a run of as many intervals; in each fifth everything takes ten times as long."""

    def make(intervals: int) -> Path:
        out = tmp_path / f"run-of-{intervals}"
        directory = RunDirectory(out, RunSettings("embedded:", GRIDS["small"], 30.0, intervals))
        for interval in range(intervals):
            slower = 10 if interval % 5 == 4 else 1
            directory.write_interval(interval, [_measured(point, interval, slower) for point in GRIDS["small"].points])
        directory.end("done")
        return out

    return make


def _measured(point: Point, interval: int, slower: int) -> Measurement:
    took = slower * (100.0 + 10 * point.child_rows * point.rows)
    return Measurement(point, interval, Histogram.of([took] * 400), 0.0, 1.0)


def ends_with(arguments: list[str]) -> int:
    try:
        return piql_predict(arguments)
    except SystemExit as ended:
        return int(ended.code or 0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--set", "count=0"], "a whole number from 1"),
        (["--set", "count=-3"], "a whole number from 1"),
        (["--quantile", "nan"], "--quantile is between 0 and 1"),
        (["--slo", "nan"], "--slo: a threshold is a number of ms above 0, not nan"),
        (["--slo", "inf"], "--slo: a threshold is a number of ms above 0, not inf"),
        (["--slo", "-1"], "--slo: a threshold is a number of ms above 0, not -1"),
        (["--slo", "5", "--slo-interval", "nan"], "--slo-interval is a positive number"),
        (["--slo", "5", "--slo-interval", "90", "--write-slo", "slos.yaml"], "a whole number of minutes, not 90 s"),
        (["--write-slo", "slos.yaml"], "--write-slo writes the threshold of --slo MS"),
        (["--slo", "5", "--write-slo", "nowhere/slos.yaml"], "--write-slo: "),
        (["--slo", "noise"], "--slo: noise is not a text in UTF-8"),
    ],
)
def test_wrong_arguments_are_said_and_end_with_2(
    source: str,
    options: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "noise").write_bytes(b"\xbc\x00\xff")
    assert ends_with([source, "--run", str(RECORDED), "--query", "latest", *options]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "slos.yaml").exists()


def test_a_source_that_is_not_there_ends_with_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ends_with([str(tmp_path / "nowhere"), "--run", str(RECORDED)]) == 2
    assert "nowhere: no such file or folder" in capsys.readouterr().err


def test_a_source_without_a_bounded_query_ends_with_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "broken.piql").write_text("CREATE TABLE (")
    assert piql_predict([str(tmp_path / "broken.piql"), "--run", str(RECORDED), "--slo", "5"]) == 1
    said = capsys.readouterr().err
    assert "there are errors in" in said
    assert "has no bounded query" in said


def test_queries_that_are_not_bounded_are_said_to_be_left_out(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert piql_predict([source, "--run", str(RECORDED)]) == 0
    assert "everything is left out: it is not bounded" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("latests", "there is no query 'latests' in the source"),
        ("everything", "everything is not bounded"),
        ("post", "the profile has no measurement of Write"),
    ],
)
def test_an_slo_of_a_query_that_cannot_be_predicted_is_not_passed_over(
    source: str, tmp_path: Path, query: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    slos = tmp_path / "slos.yaml"
    slos.write_text(write_openslo([Objective("oldest", 0.99, 60_000.0, 600.0)]))
    assert piql_predict([source, "--run", str(RECORDED), "--slo", str(slos), "--query", "latest"]) == 0
    slos.write_text(write_openslo(Objective(name, 0.99, 60_000.0, 600.0) for name in ("latest", query)))
    assert piql_predict([source, "--run", str(RECORDED), "--slo", str(slos)]) == 1
    assert message in capsys.readouterr().err


def test_an_estimate_is_said_to_be_one_with_the_worst_interval_apart(
    source: str, run_of: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    """One interval of five is ten times as slow: no ≤ stands before a latency that nothing proves."""
    assert piql_predict([source, "--query", "latest", "--run", str(run_of(5))]) == 0
    said = capsys.readouterr().out
    assert re.search(r"p99 ≈ +0\.\d+ ms, worst of 5 intervals \d+\.\d+ ms", said)
    assert "a noisy run: the p99 of its 5 intervals goes from" in said
    assert not re.search(r"p99 *≤", said)


def test_the_risk_is_said_from_20_intervals_on_with_its_interval_and_that_lengths_differ(
    source: str, run_of: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = [source, "--query", "latest", "--slo", "2"]
    run = str(run_of(20))
    assert piql_predict([*asked, "--run", run]) == 99
    said = capsys.readouterr().out
    assert "broken in 4 of 20 intervals: 20.0% (5.7% – 43.7%)" in said
    assert "the SLO's interval is 600 s, the profile's 30 s" in said
    assert piql_predict([*asked, "--run", run, "--slo-interval", "30"]) == 99
    assert "the profile's 30 s" not in capsys.readouterr().out
    assert piql_predict([*asked, "--run", str(run_of(19))]) == 99
    assert "broken in" not in capsys.readouterr().out


def test_the_risk_stands_in_the_json(source: str, run_of: Run, capsys: pytest.CaptureFixture[str]) -> None:
    run = str(run_of(20))
    piql_predict([source, "--query", "latest", "--slo", "2", "--run", run, "--output", "json"])
    (prediction,) = json.loads(capsys.readouterr().out)
    assert (prediction["risk"]["violations"], prediction["risk"]["intervals"]) == (4, 20)
    assert prediction["risk"]["low"] == pytest.approx(0.0573, abs=1e-4)
    piql_predict([source, "--query", "latest", "--run", run, "--output", "json"])
    assert json.loads(capsys.readouterr().out)[0]["risk"] is None


def test_limits_of_one_name_are_told_apart_by_their_queries(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    piql_predict([source, "--run", str(RECORDED), "--slo", "60000"])
    said = capsys.readouterr().out
    assert "latest: LIMIT [count] MAX" in said
    assert "oldest: LIMIT [count] MAX" in said
    asked = ["--query", "latest", "--query", "oldest", "--output", "json"]
    piql_predict([source, "--run", str(RECORDED), "--slo", "60000", *asked])
    latest, oldest = json.loads(capsys.readouterr().out)
    assert latest["largest_safe"]["count"] == oldest["largest_safe"]["count"] == 100
    assert set(latest["largest_safe"]) == {"count"}


def test_how_far_all_limits_may_grow_is_said_with_who_stops_it(
    source: str, run_of: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    run = str(run_of(1))
    piql_predict([source, "--run", run, "--slo", "0.5"])
    assert "All limits together: 0.77 times what they are; then latest breaks its SLO" in capsys.readouterr().out
    piql_predict([source, "--run", run, "--slo", "0.01"])
    assert "All limits together: however small they are, latest breaks its SLO" in capsys.readouterr().out


def test_two_limits_of_a_named_query_are_solved_together(
    tmp_path: Path, run_of: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "stream.piql").write_text(
        "CREATE TABLE f (o VARCHAR(20), t VARCHAR(20), PRIMARY KEY (o, t), CARDINALITY LIMIT 40 (o));"
        "CREATE TABLE p (o VARCHAR(20), at INT, PRIMARY KEY (o, at));"
        "CREATE QUERY stream AS SELECT p.at FROM f JOIN p ON p.o = f.t WHERE f.o = [1: me]"
        " ORDER BY p.at DESC LIMIT [2: count] MAX 20;"
    )
    asked = [str(tmp_path / "stream.piql"), "--run", str(run_of(1)), "--slo", "4"]
    assert piql_predict([*asked, "--query", "stream"]) == 99
    assert "stream, largest f per o × LIMIT [count] MAX together: " in capsys.readouterr().out
    piql_predict([*asked, "--query", "stream", "--output", "json"])
    (pairs,) = json.loads(capsys.readouterr().out)[0]["largest_pairs"]
    assert (pairs["x"], pairs["y"]) == ("f.o", "count")
    assert len(pairs["pairs"]) > 3
    for limit, count in pairs["pairs"]:
        for more, is_kept in ((0, True), (1, False)):
            settings = ["--set", f"f.o={limit + more}", "--set", f"count={count}"]
            code = piql_predict([*asked, *settings])
            assert (code == 0) is is_kept or limit + more > 100
    piql_predict(asked)
    assert "together: " not in capsys.readouterr().out.replace("All limits together", "")


def test_a_stale_profile_is_said(source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = tmp_path / "run"
    shutil.copytree(RECORDED, run)
    assert piql_predict([source, "--run", str(run), "--query", "latest"]) == 0
    assert "profile is stale" not in capsys.readouterr().err
    then, now = Precision(100.0, 95.0, 105.0), Precision(200.0, 190.0, 210.0)
    scan = canaries_of(GRIDS["small"])[0]
    _write(run, [Look(float(at), (Canary(scan, then, now),)) for at in range(3)])
    assert piql_predict([source, "--run", str(run), "--query", "latest"]) == 0
    assert "the profile is stale: IndexScan" in capsys.readouterr().err
    piql_predict([source, "--run", str(run), "--query", "latest", "--output", "json"])
    assert "stale" in json.loads(capsys.readouterr().out)[0]["warnings"][-1]
