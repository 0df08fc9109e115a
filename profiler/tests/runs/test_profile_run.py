"""A profile run from start to end: progress, cancelling, failing, going on."""

import contextlib
import errno
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Self

import pytest
from piql_profiler.measure.grid import Grid, Point
from piql_profiler.measure.histogram import Histogram
from piql_profiler.measure.measurements import Measurement
from piql_profiler.measure.workload import RESERVED_PREFIX
from piql_profiler.runs import run_files
from piql_profiler.runs.profile_run import Cancelled, Progress, resume_profile, run_profile, second_tasks, tasks_of
from piql_profiler.runs.run_files import RunDirectory, RunSettings, UnreadableRun, load, read_cells, read_info
from piql_profiler.runs.runner import Task

GRID = Grid.product("three", row_bytes=(100,), scan_rows=(1, 10, 100))


class StatedRunner:
    """Measures a stated latency for every point, and fails or is stopped after a number of measurements."""

    clients = 1
    places = ("here",)

    def __init__(self, after: int | None = None, error: BaseException | None = None) -> None:
        self._left = after
        self._error = error
        self.is_open = False

    def run(self, tasks: Sequence[Task]) -> Iterator[Measurement]:
        for at, (point, seconds) in [(task.interval, share) for task in tasks for share in task.shares]:
            if self._left == 0 and self._error is not None:
                raise self._error
            self._left = None if self._left is None else self._left - 1
            yield Measurement(point, at, Histogram.of([100.0] * 30), 0.0, seconds)

    def notices(self) -> list[str]:
        return []

    def __enter__(self) -> Self:
        self.is_open = True
        return self

    def __exit__(self, *error: object) -> None:
        self.is_open = False


def settings(tmp_path: Path, intervals: int = 2) -> RunSettings:
    return RunSettings(f"embedded:{tmp_path}/shop.db", GRID, interval_seconds=3.0, intervals=intervals)


def run(tmp_path: Path, runner: StatedRunner) -> list[Progress]:
    seen: list[Progress] = []
    run_profile(settings(tmp_path), tmp_path / "run", runner, seen.append, prepare=lambda grid, url: None)
    return seen


def test_a_run_reports_every_measurement_and_ends_whole(tmp_path: Path) -> None:
    seen = run(tmp_path, StatedRunner())
    assert [progress.state for progress in seen] == ["starting", *["running"] * 7, "done"]
    assert [progress.points_done for progress in seen] == [0, 0, 1, 2, 3, 4, 5, 6, 6]
    assert seen[7].eta_seconds == 0.0
    assert load(tmp_path / "run").intervals == 2
    assert read_info(tmp_path / "run").executions == 180


class LosingRunner(StatedRunner):
    """Loses a client while it is asked, the second time, for what an interval still lacks."""

    def __init__(self) -> None:
        super().__init__()
        self._asked = 0
        self._said: list[str] = []

    def run(self, tasks: Sequence[Task]) -> Iterator[Measurement]:
        self._asked += 1
        if self._asked == 2:
            self._said.append("client 1 died")
        yield from super().run(tasks)

    def notices(self) -> list[str]:
        said, self._said = self._said, []
        return said


def test_what_happens_to_a_client_is_said_whenever_it_happens(tmp_path: Path) -> None:
    seen = run(tmp_path, LosingRunner())
    assert [progress.message for progress in seen if progress.message] == ["client 1 died"]
    assert read_info(tmp_path / "run").notes["lost_clients"] == ["client 1 died"]


@pytest.mark.parametrize("stop", [Cancelled, KeyboardInterrupt])
def test_a_cancelled_run_keeps_its_complete_intervals_and_says_so(tmp_path: Path, stop: type[BaseException]) -> None:
    runner = StatedRunner(after=4, error=stop())
    seen: list[Progress] = []
    with pytest.raises(stop):
        run_profile(settings(tmp_path), tmp_path / "run", runner, seen.append, prepare=lambda grid, url: None)
    assert seen[-1].state == "cancelled"
    assert not runner.is_open
    info = read_info(tmp_path / "run")
    assert (info.state, info.complete_intervals) == ("cancelled", 1)
    assert load(tmp_path / "run", is_partial_allowed=True).intervals == 1


def test_a_store_that_vanishes_fails_the_run_with_its_own_words(tmp_path: Path) -> None:
    seen = run(tmp_path, StatedRunner(after=1, error=OSError("the store does not answer")))
    assert (seen[-1].state, seen[-1].message) == ("failed", "OSError: the store does not answer")
    with pytest.raises(UnreadableRun, match="failed"):
        load(tmp_path / "run")


@pytest.mark.parametrize("stop", [Cancelled, KeyboardInterrupt, RuntimeError])
def test_a_run_that_was_broken_off_goes_on_behind_its_whole_intervals(
    tmp_path: Path, stop: type[BaseException]
) -> None:
    with contextlib.suppress(Cancelled, KeyboardInterrupt):
        run(tmp_path, StatedRunner(after=4, error=stop()))
    first = (tmp_path / "run" / "interval-000.parquet").read_bytes()
    seen: list[Progress] = []
    resume_profile(tmp_path / "run", StatedRunner(), seen.append, prepare=lambda grid, url: None)
    assert [progress.points_done for progress in seen] == [3, 3, 4, 5, 6, 6]
    assert (tmp_path / "run" / "interval-000.parquet").read_bytes() == first
    info = read_info(tmp_path / "run")
    assert (info.state, info.complete_intervals, info.executions) == ("done", 2, 180)
    assert load(tmp_path / "run").intervals == 2


def test_what_is_done_or_under_way_is_not_resumed(tmp_path: Path) -> None:
    run(tmp_path, StatedRunner())
    with pytest.raises(UnreadableRun, match="nothing to resume"):
        resume_profile(tmp_path / "run", StatedRunner(), print)
    RunDirectory(tmp_path / "other", settings(tmp_path))
    with pytest.raises(UnreadableRun, match="being measured by process"):
        resume_profile(tmp_path / "other", StatedRunner(), print)


def test_a_full_disk_is_said_and_the_run_goes_on_when_there_is_space(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = Path.write_text

    def full(path: Path, *arguments: str) -> int:
        if (tmp_path / "run" / "spare.part").exists():
            raise OSError(errno.ENOSPC, "No space left on device")
        return written(path, *arguments)

    def write_table(table: object, part: Path, **options: object) -> None:
        if "interval-001" in part.name:
            monkeypatch.setattr(Path, "write_text", full)
            full(part)
        parquet(table, part, **options)

    parquet = run_files.pq.write_table
    monkeypatch.setattr(run_files.pq, "write_table", write_table)
    seen = run(tmp_path, StatedRunner())
    assert (seen[-1].state, str(seen[-1].message)[:16]) == ("failed", "the disk is full")
    info = read_info(tmp_path / "run")
    assert (info.state, str(info.message)[:16]) == ("failed", "the disk is full")
    assert len(read_cells(tmp_path / "run")) == 3

    monkeypatch.setattr(Path, "write_text", written)
    monkeypatch.setattr(run_files.pq, "write_table", parquet)
    resume_profile(tmp_path / "run", StatedRunner(), print, prepare=lambda grid, url: None)
    assert read_info(tmp_path / "run").state == "done"


def test_the_file_made_for_measuring_stands_beside_the_users_and_goes_with_the_run(tmp_path: Path) -> None:
    (tmp_path / "shop.db").write_bytes(b"mine")
    seen: list[Path] = []

    def prepare(grid: Grid, url: str) -> None:
        seen.append(Path(url.removeprefix("embedded:").partition("?")[0]))
        seen[0].write_bytes(b"rows")

    changed = RunSettings(f"embedded:{tmp_path}/shop.db?synchronous=NORMAL", GRID, 3.0, 1)
    run_profile(changed, tmp_path / "run", StatedRunner(), lambda progress: None, prepare=prepare)
    assert seen[0].parent.parent == tmp_path
    assert seen[0].parent.name.startswith(RESERVED_PREFIX)
    assert not seen[0].parent.exists()
    assert (tmp_path / "shop.db").read_bytes() == b"mine"


def test_each_interval_shares_its_time_between_all_points_in_groups_of_its_own(tmp_path: Path) -> None:
    wide = Grid.product("wide", row_bytes=(100,), scan_rows=tuple(range(1, 81)))
    given = RunSettings("embedded:x", wide, interval_seconds=10.0, intervals=2)
    first, second = (tasks_of(given, "embedded:y", interval, clients=2) for interval in (0, 1))
    assert sorted((point for task in first for point, _ in task.shares), key=Point.sort_key) == list(wide.points)
    assert [len(task.shares) for task in first] == [20] * 4
    assert sum(seconds for task in first for _, seconds in task.shares) == pytest.approx(20.0)
    assert [task.shares for task in first] != [task.shares for task in second]
    assert first == tasks_of(given, "embedded:y", 0, clients=2)


def test_a_run_does_not_need_the_main_thread(tmp_path: Path) -> None:
    thread = threading.Thread(target=run, args=(tmp_path, StatedRunner()))
    thread.start()
    thread.join()
    assert read_info(tmp_path / "run").state == "done"


def test_time_that_precise_points_give_back_goes_to_those_that_are_not(tmp_path: Path) -> None:
    given = replace(settings(tmp_path), precision=0.1)
    wide, precise, slow = GRID.points
    varied = Histogram.of([100.0 * 1.05**at for at in range(100)])
    measured = [
        Measurement(wide, 0, varied, 0.0, 0.5),
        Measurement(precise, 0, Histogram.of([100.0] * 5_000), 0.0, 0.5),
        Measurement(slow, 0, varied, 0.0, 1.0),
    ]
    again = second_tasks(given, "embedded:y", 0, 1, measured)
    assert [task.shares for task in again] == [((wide, 1.0),)]  # which lacks least, but more than is left
    before = [Measurement(wide, 0, Histogram.of([100.0] * 20_000), 0.0, 5.0)]
    again = second_tasks(given, "embedded:y", 1, 1, measured, before)
    assert [task.shares for task in again] == [((slow, 1.0),)]  # wide is known from the interval before
    assert second_tasks(replace(given, precision=None), "embedded:y", 0, 1, measured) == []
