"""Looks at a store that slows down by a stated law, so that no look depends on how busy the machine is."""

import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from piql_profiler.commands.profile import profile as piql_profile
from piql_profiler.drift.judge import stale_operators
from piql_profiler.drift.look import canaries_of, read_looks
from piql_profiler.measure.benchmark import Session
from piql_profiler.measure.grid import GRIDS, Operator, Point
from piql_profiler.measure.histogram import Histogram
from piql_profiler.measure.measurements import Measurement
from piql_profiler.measure.open_loop import Block
from piql_profiler.runs.run_files import load, read_cells, read_info


def test_canaries_are_the_cheapest_points_and_make_several_requests_where_they_can() -> None:
    assert canaries_of(GRIDS["reads"]) == (
        Point(Operator.INDEX_SCAN, 1, 1, 40),
        Point(Operator.INDEX_FK_JOIN, 10, 1, 40),
        Point(Operator.SORTED_INDEX_JOIN, 10, 1, 200),
        Point(Operator.FORWARD_JOIN, 10, 1, 200),
    )
    of_writes = [point for point in canaries_of(GRIDS["default"]) if point.operator.is_of_writes]
    assert [str(of_write) for of_write in of_writes] == [
        "Write of 120 B with 1 index entry",
        "LimitCheck of 4 × 1",
        "ReferenceCheck of 4",
    ]


LEVELS = '{"row_bytes": [100], "scan_rows": [1, 10], "fk_child_rows": [1, 10]}'


class StatedStore:
    """Stands for a store whose operators take what is stated, whatever else the machine does."""

    def __init__(self) -> None:
        self.median_us = dict.fromkeys(Operator, 100.0)
        self._random = np.random.default_rng(1)

    def measure_mixed(
        self, session: Session, shares: Mapping[Point, float], *, interval: int = 0, **_: object
    ) -> tuple[list[Measurement], list[Block]]:
        measured = [
            Measurement(point, interval, self._drawn(point.operator), time.time(), seconds)
            for point, seconds in shares.items()
        ]
        return measured, []

    def _drawn(self, operator: Operator) -> Histogram:
        return Histogram.of(self.median_us[operator] * self._random.lognormal(0.0, 0.2, size=2_000))


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> StatedStore:
    stated = StatedStore()
    monkeypatch.setattr(Session, "measure_mixed", lambda *given, **named: stated.measure_mixed(*given, **named))
    return stated


@pytest.fixture
def profile(tmp_path: Path, store: StatedStore) -> Path:
    """A profile of a store whose foreign-key joins take thirty times as long since."""
    arguments = ["--store", f"embedded:{tmp_path}/shop.db", "--grid", LEVELS, "--interval", "1", "--intervals", "2"]
    run = tmp_path / "old"
    assert piql_profile([*arguments, "--out", str(run), "--runner", "local", "--progress", "none"]) == 0
    store.median_us[Operator.INDEX_FK_JOIN] *= 30
    return run


def test_a_stale_profile_is_said_to_be_and_measured_anew_only_where_it_is(
    profile: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "new"
    with pytest.raises(SystemExit):
        piql_profile(["--refresh", str(profile), "--out", str(out)])
    assert "run `piql profile --look` first" in capsys.readouterr().err

    assert piql_profile(["--look", "1", "--out", str(profile)]) == 0
    assert "not known to be stale: this takes 3 looks" in capsys.readouterr().out
    assert piql_profile(["--look", "2", "--out", str(profile)]) == 98
    said = capsys.readouterr().out
    assert "IndexFKJoin" in said.splitlines()[-1]
    assert len(read_looks(profile)) == 3
    assert stale_operators(read_looks(profile)) == (Operator.INDEX_FK_JOIN,)

    assert piql_profile(["--refresh", str(profile), "--out", str(out), "--progress", "none"]) == 0
    before, after = ({(cell.point, cell.interval): cell for cell in read_cells(run)} for run in (profile, out))
    assert set(before) == set(after)
    for at, cell in after.items():
        is_anew = at[0].operator is Operator.INDEX_FK_JOIN
        assert (cell.started_at == before[at].started_at) is not is_anew
    assert load(out).intervals == 2
    assert read_info(out).state == "done"
