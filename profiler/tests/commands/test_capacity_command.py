"""`piql capacity`: what it prints, and what it says where something is missing or wrong."""

import json
import re
import shlex
from pathlib import Path

import pytest
from piql_profiler.commands.capacity import capacity as piql_capacity
from piql_profiler.measure.grid import GRIDS, Point
from piql_profiler.measure.histogram import Histogram
from piql_profiler.measure.measurements import Measurement
from piql_profiler.runs.run_files import RunDirectory, RunSettings

REPOSITORY = Path(__file__).parents[3]
SCHEMA = """
CREATE TABLE posts (owner VARCHAR(20), at INT, text VARCHAR(140), PRIMARY KEY (owner, at));
CREATE QUERY latest AS SELECT at, text FROM posts WHERE owner = [1: me] ORDER BY at DESC LIMIT [2: count] MAX 50;
CREATE QUERY one AS SELECT text FROM posts WHERE owner = [1: me] AND at = [2: at];
CREATE QUERY everything AS SELECT at FROM posts;
"""


@pytest.fixture
def source(tmp_path: Path) -> str:
    (tmp_path / "feed.piql").write_text(SCHEMA)
    return str(tmp_path / "feed.piql")


def run_of(path: Path, store: str, clients: int = 1) -> str:
    """A run of a store that takes 100 µs and 10 µs a row, always."""
    directory = RunDirectory(path, RunSettings(store, GRIDS["small"], 30.0, 1, clients))
    directory.write_interval(0, [_measured(point) for point in GRIDS["small"].points])
    directory.end("done")
    return str(path)


def _measured(point: Point) -> Measurement:
    return Measurement(point, 0, Histogram.of([100.0 + 10 * point.child_rows * point.rows] * 400), 0.0, 1.0)


@pytest.fixture
def embedded(tmp_path: Path) -> str:
    return run_of(tmp_path / "embedded-run", "embedded:")


@pytest.fixture
def cluster(tmp_path: Path) -> str:
    return run_of(tmp_path / "cluster-run", "cql://127.0.0.1/feed")


def ends_with(arguments: list[str]) -> int:
    try:
        return piql_capacity(arguments)
    except SystemExit as ended:
        return int(ended.code or 0)


def test_it_says_how_far_rates_may_grow_and_what_breaks_first(
    source: str, embedded: str, capsys: pytest.CaptureFixture[str]
) -> None:
    rates = ["--rate", "latest=300", "--rate", "one=200,400,800"]
    assert ends_with([source, "--run", embedded, *rates, "--slo", "2"]) == 0
    text = capsys.readouterr().out
    assert re.search(r"^latest +300 +18 % ", text, re.MULTILINE)  # 600 µs, 300 times a second
    assert re.search(r"All rates together may grow ≈ [0-9.]+ times \(9 of 10 from ", text)
    assert "Breaks first: latest, in 100 of 100 draws" in text
    assert "measured: the store answers one request after another" in text
    assert "≤" not in text


def test_an_slo_that_breaks_at_these_rates_ends_with_99(
    source: str, embedded: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ends_with([source, "--run", embedded, "--rate", "latest=1400", "--slo", "1"]) == 99
    assert re.search(r"All rates together must fall to ≈ [0-9.]+ % ", capsys.readouterr().out)


def test_a_query_that_is_slow_alone_is_told_as_such(
    source: str, embedded: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ends_with([source, "--run", embedded, "--rate", "latest=1", "--slo", "0.5"]) == 99
    assert "latest breaks its SLO with nothing else running" in capsys.readouterr().out


def test_users_are_shown_until_the_one_node_is_full(
    source: str, embedded: str, capsys: pytest.CaptureFixture[str]
) -> None:
    growth = ["--users", "1e4", "--rows", "posts=100", "--unbounded", "everything=100"]
    assert ends_with([source, "--run", embedded, "--rate", "latest=300", "--slo", "2", *growth]) == 0
    text = capsys.readouterr().out
    lines = [line.split() for line in text.splitlines() if re.match(r"\d+k? ", line)]
    assert [line[0] for line in lines] == ["1k", "10k"]
    assert re.search(r"The one node takes ≈ [0-9.]+k users", text)
    assert re.search(r"everything without a bound breaks the SLO from ≈ [0-9.]+ users on", text)


def test_one_node_takes_no_more_users_than_their_data_leaves_room_for(
    source: str, embedded: str, capsys: pytest.CaptureFixture[str]
) -> None:
    growth = ["--users", "1e4", "--rows", "posts=100", "--node-gigabytes", "0.0168"]
    assert ends_with([source, "--run", embedded, "--rate", "latest=300", "--slo", "2", *growth]) == 0
    text = capsys.readouterr().out
    assert re.search(r"The one node takes ≈ 1.02k users; more would not fit into it", text)


def test_a_cluster_is_told_in_intervals_that_say_what_was_assumed(
    source: str, cluster: str, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [source, "--run", cluster, "--rate", "one=4000", "--slo", "2", "--nodes", "3", "--cores", "2"]
    assert ends_with([*arguments, "--users", "1e6", "--output", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    low, mid, high = told["growth"]
    assert low < mid < high
    assert "assumed" in told["demands"]
    assert told["nodes_needed"] == [3, 3, 3]
    assert [stage["users"] for stage in told["success"]] == [10**power for power in range(3, 10)]
    assert told["success"][-1]["nodes"][1] > 100


@pytest.mark.parametrize(
    ("options", "message", "code"),
    [
        (["--rate", "latest"], "'' is neither a number nor low,mid,high; write it like findUser=500", 2),
        (["--rate", "latest=3,2,1"], "3, 2, 1 are not three growing numbers above 0", 2),
        (["--rate", "latest=1", "--rate", "latest=2"], "--rate gives latest twice", 2),
        (["--rate", "latest=0"], "0 is not a number above 0", 2),
        (["--rate", "nobody=1"], "there is no query 'nobody' in the source", 1),
        (["--rate", "Latest=1"], "there is no query 'Latest' in the source; did you mean latest?", 1),
        (["--rate", "everything=1"], "everything is not bounded", 1),
        (["--rate", "latest=1", "--set", "friends=3"], "no query with a rate has a limit 'friends'", 1),
        (["--rate", "latest=1", "--nodes", "3"], "the run is of an embedded store", 2),
        (["--rate", "latest=1", "--rows", "posts=9"], "say with --users whose rates --rate gives", 2),
        (["--rate", "latest=1", "--node-gigabytes", "9"], "say with --users and --rows how much there is", 2),
        (
            ["--rate", "latest=1", "--users", "10", "--rows", "post=9"],
            "no table 'post' in the source; did you mean p",
            1,
        ),
        (["--rate", "latest=1", "--slo", "2ms"], "2ms is neither a number of ms nor a file of OpenSLO documents", 2),
        (["--rate", "latest=1", "--slo", "nan"], "--slo: a threshold is a number of ms above 0", 2),
    ],
)
def test_what_is_wrong_is_said(
    options: list[str], message: str, code: int, source: str, embedded: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ends_with([source, "--run", embedded, *options]) == code
    assert message in capsys.readouterr().err


def test_of_a_cluster_it_asks_for_its_size(source: str, cluster: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert ends_with([source, "--run", cluster, "--rate", "one=1"]) == 2
    assert "say with --nodes and --cores what it was measured on" in capsys.readouterr().err
    assert (
        ends_with([source, "--run", cluster, "--rate", "one=1", "--nodes", "3", "--cores", "2", "--busy", "1,2,3"]) == 2
    )
    assert "at most 1" in capsys.readouterr().err


def test_a_profile_of_many_clients_is_said_to_hold_waits(
    source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = run_of(tmp_path / "busy-run", "embedded:", clients=4)
    assert ends_with([source, "--run", run, "--rate", "one=1"]) == 0
    assert "profile is of 4 clients at once" in capsys.readouterr().err


def test_the_page_about_capacity_shows_what_the_command_prints(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (REPOSITORY / "docs" / "capacity.md").read_text(encoding="utf-8")
    monkeypatch.chdir(REPOSITORY)
    (command,) = re.findall(r"^piql capacity (.* profiler/tests/recorded-run .*)$", page, re.MULTILINE)
    assert ends_with(shlex.split(command)) == 0
    (shown,) = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
    assert capsys.readouterr().out == shown
