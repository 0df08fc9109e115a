"""A run on disk: what is complete is read, what is half written is not."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from piql.errors import StoreUnavailable
from piql_profiler.measure.grid import Grid, Operator, Point
from piql_profiler.measure.histogram import Histogram
from piql_profiler.measure.measurements import Measurement
from piql_profiler.measure.store_urls import STORE_VARIABLE, with_password
from piql_profiler.runs.run_files import (
    RunDirectory,
    RunSettings,
    UnreadableRun,
    load,
    mark_cancelled,
    read_cells,
    read_info,
)

GRID = Grid.product("two", row_bytes=(100,), scan_rows=(1, 10))
SETTINGS = RunSettings("embedded:data/x.db", GRID, interval_seconds=2.0, intervals=2)


def interval(number: int) -> list[Measurement]:
    return [
        Measurement(point, number, Histogram.of([100.0 * point.rows + number] * 5), 10.0 + number, 1.0)
        for point in GRID.points
    ]


def test_a_run_reads_back_as_it_was_written(tmp_path: Path) -> None:
    run = RunDirectory(tmp_path / "run", SETTINGS, label="mine")
    for number in range(2):
        run.write_interval(number, interval(number))
    run.end("done")
    info = read_info(tmp_path / "run")
    assert info == run.info
    assert (info.settings, info.label, info.executions) == (SETTINGS, "mine", 20)
    scans = load(tmp_path / "run").operators[Operator.INDEX_SCAN]
    assert scans.points == (Point(Operator.INDEX_SCAN, 1, 1, 100), Point(Operator.INDEX_SCAN, 1, 10, 100))
    assert Histogram(scans.counts[1, 1]) == Histogram.of([1001.0] * 5)


def test_what_was_seen_from_the_moment_executions_were_due_is_kept(tmp_path: Path) -> None:
    service, response = Histogram.of([100.0] * 5), Histogram.of([100.0, 200.0, 300.0])
    cell = Measurement(GRID.points[0], 0, service, 10.0, 1.0, 0.5, response, 4.5, 0.07, response)
    RunDirectory(tmp_path, SETTINGS).write_interval(0, [cell])
    assert read_cells(tmp_path) == [cell]
    assert cell.is_void


@pytest.mark.parametrize("state", ["cancelled", "failed"])
def test_an_unfinished_run_is_not_taken_for_a_whole_one(tmp_path: Path, state: str) -> None:
    run = RunDirectory(tmp_path, SETTINGS)
    run.write_interval(0, interval(0))
    run.end(state, "stopped")  # type: ignore[arg-type]
    with pytest.raises(UnreadableRun, match=f"is {state}, not done: stopped"):
        load(tmp_path)
    assert load(tmp_path, is_partial_allowed=True).intervals == 1


def test_a_run_whose_process_is_gone_has_failed(tmp_path: Path) -> None:
    script = (
        "import sys, os; from pathlib import Path; from piql_profiler.measure.grid import GRIDS;"
        "from piql_profiler.runs.run_files import RunDirectory, RunSettings;"
        "run = RunDirectory(Path(sys.argv[1]), RunSettings('embedded:', GRIDS['small']));"
        "run.update(state='running'); os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", script, str(tmp_path / "run")], check=False)
    assert json.loads((tmp_path / "run" / "run.json").read_text())["state"] == "running"
    info = read_info(tmp_path / "run")
    assert (info.state, info.message) == ("failed", "the process that measured ended before the run did")
    with pytest.raises(UnreadableRun, match="failed"):
        load(tmp_path / "run")


def test_a_run_whose_process_lives_is_still_running(tmp_path: Path) -> None:
    RunDirectory(tmp_path, SETTINGS).update(state="running")
    assert read_info(tmp_path).state == "running"


def test_another_process_under_the_same_number_does_not_keep_a_run_alive(tmp_path: Path) -> None:
    run = RunDirectory(tmp_path, SETTINGS)
    run.update(state="running", process=1)
    assert read_info(tmp_path).state == "failed"


def test_a_half_written_file_is_not_read(tmp_path: Path) -> None:
    run = RunDirectory(tmp_path, SETTINGS)
    run.write_interval(0, interval(0))
    (tmp_path / "interval-001.part").write_bytes(b"PAR1 half")
    run.end("done")
    assert load(tmp_path).intervals == 1


def test_a_folder_that_is_not_empty_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(UnreadableRun, match="not empty"):
        RunDirectory(tmp_path, SETTINGS)


def test_a_run_that_was_killed_at_its_start_does_not_keep_its_folder(tmp_path: Path) -> None:
    (tmp_path / "run.part").write_text('{"format_ver')
    assert RunDirectory(tmp_path, SETTINGS).info.state == "starting"
    assert not (tmp_path / "run.part").exists()


def test_a_folder_without_a_run_a_damaged_run_and_a_newer_format_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(UnreadableRun, match="has no profile run"):
        read_info(tmp_path)
    (tmp_path / "run.json").write_text("{")
    with pytest.raises(UnreadableRun, match="damaged"):
        read_info(tmp_path)
    (tmp_path / "run.json").write_text('{"format_version": 99}')
    with pytest.raises(UnreadableRun, match="in format 99"):
        read_info(tmp_path)


def test_a_run_can_be_marked_as_cancelled_from_outside_unless_it_has_ended(tmp_path: Path) -> None:
    run = RunDirectory(tmp_path, SETTINGS)
    run.write_interval(0, interval(0))
    mark_cancelled(tmp_path)
    assert read_info(tmp_path).state == "cancelled"
    run.end("done")
    mark_cancelled(tmp_path)
    assert read_info(tmp_path).state == "done"


def test_a_password_is_not_kept_with_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = "cql://me:secret@node/app"
    run = RunDirectory(tmp_path, replace(SETTINGS, store_url=url))
    run.update(state="running")
    mark_cancelled(tmp_path)
    assert not any(b"secret" in file.read_bytes() for file in tmp_path.iterdir())
    kept_url = read_info(tmp_path).settings.store_url
    assert kept_url == "cql://me:…@node/app"

    for known in ("", "cql://me:secret@elsewhere/app"):
        monkeypatch.setenv(STORE_VARIABLE, known)
        with pytest.raises(StoreUnavailable, match="put the whole URL of cql://me:…@node/app into PIQL_STORE"):
            with_password(kept_url)
    monkeypatch.setenv(STORE_VARIABLE, url)
    assert with_password(kept_url) == url
    assert with_password("cql://node/app") == "cql://node/app"


def whole_run(path: Path) -> Path:
    run = RunDirectory(path, SETTINGS)
    for number in range(3):
        run.write_interval(number, interval(number))
    run.end("done")
    return path


def test_an_interval_that_is_cut_off_or_gone_is_said_and_never_left_out_in_silence(tmp_path: Path) -> None:
    file = whole_run(tmp_path / "run") / "interval-001.parquet"
    content = file.read_bytes()
    for cut in (b"", content[:100], content[:-20], bytes(len(content))):
        file.write_bytes(cut)
        with pytest.raises(UnreadableRun, match=r"interval-001\.parquet holds no measurements, or is damaged"):
            load(tmp_path / "run")
    file.unlink()
    with pytest.raises(UnreadableRun, match="lacks its interval 1"):
        load(tmp_path / "run")


@pytest.mark.parametrize("damage", ["cut", "gone"])
def test_what_is_resumed_measures_again_from_the_first_interval_that_is_not_whole(tmp_path: Path, damage: str) -> None:
    run = RunDirectory(whole_run(tmp_path / "run").parent / "other", SETTINGS)
    for number in range(3):
        run.write_interval(number, interval(number))
    run.end("failed", "for a test")
    file = run.path / "interval-001.parquet"
    if damage == "cut":
        file.write_bytes(file.read_bytes()[:100])
    else:
        file.unlink()
    resumed = RunDirectory.resume(run.path)
    assert (resumed.info.complete_intervals, resumed.info.executions) == (1, 10)
    assert [entry.name for entry in run.path.glob("interval-*")] == ["interval-000.parquet"]


@pytest.mark.parametrize(
    "content",
    [
        b"[]",
        b'{"format_version": 1}',
        b"[" * 100_000,
        b"\xff\xfe",
        json.dumps({"format_version": 1, "settings": {"grid": 3}, "state": "done"}).encode(),
        json.dumps({"format_version": 1, "settings": {"grid": {"name": "x", "points": [["Nope", 1, 1, 1]]}}}).encode(),
    ],
)
def test_a_damaged_run_is_said_whatever_the_damage(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "run.json").write_bytes(content)
    with pytest.raises(UnreadableRun, match="damaged"):
        read_info(tmp_path)


def test_a_file_is_no_folder_of_a_run(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UnreadableRun, match="has no profile run"):
        read_info(tmp_path / "file")
