"""Real looks at a real store, whose profile is then changed to what it would have said before the store slowed down."""

from pathlib import Path

import pytest
from piql_profiler import commands
from piql_profiler.drift.judge import stale_operators
from piql_profiler.drift.look import canaries_of, read_looks
from piql_profiler.grid import GRIDS, Grid, Operator, Point
from piql_profiler.histogram import Histogram
from piql_profiler.measurements import Measurement
from piql_profiler.run_files import RunDirectory, RunSettings, load, read_cells, read_info

GRID = Grid.product("two", row_bytes=(100,), scan_rows=(1, 10), fk_child_rows=(1, 10))


def test_canaries_are_the_cheapest_points_and_make_several_requests_where_they_can() -> None:
    assert canaries_of(GRIDS["reads"]) == (
        Point(Operator.INDEX_SCAN, 1, 1, 40),
        Point(Operator.INDEX_FK_JOIN, 10, 1, 40),
        Point(Operator.SORTED_INDEX_JOIN, 10, 1, 200),
        Point(Operator.FORWARD_JOIN, 10, 1, 200),
    )
    of_writes = [each for each in canaries_of(GRIDS["default"]) if each.operator.is_of_writes]
    assert [str(each) for each in of_writes] == [
        "Write of 120 B with 1 index entry",
        "LimitCheck of 4 × 1",
        "ReferenceCheck of 4",
    ]


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    """A profile of this store in which foreign-key joins took a microsecond."""
    settings = RunSettings(f"embedded:{tmp_path}/shop.db", GRID, 1.0, 2, runner="local", load=0.3)
    old = tmp_path / "now"
    assert (
        commands.profile(
            [
                "--store",
                settings.store_url,
                "--grid",
                LEVELS,
                "--interval",
                "2",
                "--intervals",
                "2",
                "--out",
                str(old),
                "--runner",
                "local",
                "--progress",
                "none",
            ]
        )
        == 0
    )
    directory = RunDirectory(tmp_path / "old", read_info(old).settings)
    for interval in range(2):
        cells = [each for each in read_cells(old) if each.interval == interval]
        directory.write_interval(interval, [as_fast_as_light(each) for each in cells])
    directory.end("done")
    return tmp_path / "old"


LEVELS = '{"row_bytes": [100], "scan_rows": [1, 10], "fk_child_rows": [1, 10]}'


def as_fast_as_light(cell: Measurement) -> Measurement:
    if cell.point.operator is Operator.INDEX_SCAN:
        return cell
    return Measurement(cell.point, cell.interval, Histogram.of([2.0] * 2_000), cell.started_at, cell.seconds)


def test_a_stale_profile_is_said_to_be_and_measured_anew_only_where_it_is(
    profile: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "new"
    with pytest.raises(SystemExit):
        commands.profile(["--refresh", str(profile), "--out", str(out)])
    assert "look at its canaries first" in capsys.readouterr().err

    assert commands.profile(["--look", "1", "--out", str(profile)]) == 0
    assert "not known to be stale: that takes 3 looks" in capsys.readouterr().out
    assert commands.profile(["--look", "2", "--out", str(profile)]) == 98
    said = capsys.readouterr().out
    assert "IndexFKJoin" in said.splitlines()[-1]
    assert len(read_looks(profile)) == 3
    stale = stale_operators(read_looks(profile))  # where much else has begun to run since, scans may be slower, too
    assert Operator.INDEX_FK_JOIN in stale

    assert commands.profile(["--refresh", str(profile), "--out", str(out), "--progress", "none"]) == 0
    before, after = ({(each.point, each.interval): each for each in read_cells(run)} for run in (profile, out))
    assert set(before) == set(after)
    for at, cell in after.items():
        is_anew = at[0].operator in stale
        assert (cell.started_at == before[at].started_at) is not is_anew
    assert load(out).intervals == 2
    assert read_info(out).state == "done"
