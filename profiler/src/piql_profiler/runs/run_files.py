"""A profile run on disk: a folder with `run.json` and one Parquet file for each complete interval.

    run.json               format version, store (without its password), grid, settings, state, who writes it
    interval-000.parquet   one row a point: operator, cardinalities, executions, quantiles, bins and counts

Every file is written as `….part` and renamed, so a file that exists is complete. While a run goes on, a spare file
keeps some space, so that the end can be written even on a full disk. A run is complete only in the state `done`, which
is written last. One that says `running` while its process is gone is read as failed.
"""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq
from piql.store.open import capabilities_of

from piql_profiler.measure.grid import Grid, Operator, Point
from piql_profiler.measure.histogram import RATIO, Histogram
from piql_profiler.measure.measurements import Measurement, Measurements
from piql_profiler.measure.store_urls import without_password

FORMAT_VERSION = 2
_READABLE_VERSIONS = (1, FORMAT_VERSION)  # version 1 has no columns
RunState = Literal["starting", "running", "cancelled", "failed", "done"]
_UNFINISHED = ("starting", "running")
_PART = ".part"  # the end of the name of a file that is being written
_SPARE, _SPARE_BYTES = "spare.part", 64 * 1024
GONE = "the process that measured ended before the run did"


class UnreadableRun(Exception):
    """The folder holds no run that can be used; the message says why."""


@dataclass(frozen=True, slots=True)
class RunSettings:
    """What was asked for; kept with the run.

    `load` is the share of its time that each client is kept busy (0: closed loop), `precision` the relative half-width
    of the p99's confidence interval at which a point has been measured enough.
    """

    store_url: str
    grid: Grid
    interval_seconds: float = 30.0
    intervals: int = 3
    clients: int = 1
    seed: int = 1
    runner: Literal["ray", "local"] = "ray"
    load: float = 0.0
    precision: float | None = None


@dataclass(frozen=True, slots=True)
class RunInfo:
    """The contents of `run.json`; times are seconds since 1970.

    `process` is the process that writes the run, and `process_started` when the kernel started it, as another process
    may have its number later. `notes` are further facts, such as `void_blocks` and `lost_clients`.
    """

    settings: RunSettings
    state: RunState
    label: str = ""
    message: str | None = None
    started_at: float = 0.0
    ended_at: float | None = None
    complete_intervals: int = 0
    executions: int = 0
    process: int = 0
    process_started: int | None = None
    notes: Mapping[str, Any] = field(default_factory=dict)


class RunDirectory:
    """Writes a run; the folder is new or empty."""

    def __init__(self, path: Path, settings: RunSettings, label: str = "") -> None:
        path.mkdir(parents=True, exist_ok=True)
        if any(entry.suffix != _PART for entry in path.iterdir()):  # a run that was killed at its start leaves run.part
            raise UnreadableRun(f"{path} is not empty: a run needs a folder of its own")
        self._begin(path, RunInfo(settings, "starting", label, started_at=time.time()))

    @classmethod
    def resume(cls, path: Path) -> RunDirectory:
        """Take over a run that was killed, stopped or failed, with its complete intervals.

        An interval whose file is missing or damaged is measured again, and so are those after it. Raises UnreadableRun
        for a run that is done or under way.
        """
        info = read_info(path)
        if info.state == "done":
            raise UnreadableRun(f"the run in {path} is done: there is nothing to resume")
        if info.state in _UNFINISHED:
            raise UnreadableRun(f"the run in {path} is being measured by process {info.process}")
        for part in path.glob("*.part"):
            part.unlink()
        intervals = _readable_from_the_first_on(path)
        for file in sorted(path.glob("interval-*.parquet"))[len(intervals) :]:
            file.unlink()
        executions = sum(cell.histogram.total for cells in intervals for cell in cells)
        directory = cls.__new__(cls)
        directory._begin(
            path,
            replace(
                info,
                state="starting",
                message=None,
                ended_at=None,
                complete_intervals=len(intervals),
                executions=executions,
            ),
        )
        return directory

    def _begin(self, path: Path, info: RunInfo) -> None:
        """Write `run.json` in the name of this process, and the spare file."""
        process = os.getpid()
        self.path = path
        self.info = replace(info, process=process, process_started=_started(process))
        self._save()
        (path / _SPARE).write_bytes(bytes(_SPARE_BYTES))

    def update(self, **changes: Any) -> None:
        """Change what `run.json` says."""
        self.info = replace(self.info, **changes)
        self._save()

    def write_interval(self, interval: int, measurements: Sequence[Measurement]) -> None:
        """Keep one complete interval."""
        target = _file_of(self.path, interval)
        part = target.with_suffix(".part")
        pq.write_table(_table(measurements), part, compression="zstd")
        move_into_place(part, target)
        self.update(
            complete_intervals=interval + 1,
            executions=self.info.executions + sum(measurement.histogram.total for measurement in measurements),
        )

    def end(self, state: RunState, message: str | None = None) -> None:
        """Write the last state; on a full disk, removing the spare file and unfinished ones makes room for it."""
        for part in (self.path / _SPARE, *self.path.glob("interval-*.part")):
            part.unlink(missing_ok=True)
        self.update(state=state, message=message, ended_at=time.time())

    def _save(self) -> None:
        target = self.path / "run.json"
        part = target.with_suffix(".part")
        part.write_text(json.dumps(_to_json(self.info), indent=2) + "\n")
        move_into_place(part, target)


def read_info(path: Path) -> RunInfo:
    """Read `run.json`; an unfinished run whose process is gone is returned as failed. Raises UnreadableRun."""
    try:
        content = json.loads((path / "run.json").read_text())
    except (FileNotFoundError, NotADirectoryError):
        raise UnreadableRun(f"{path} has no profile run") from None
    except (ValueError, RecursionError) as error:
        raise UnreadableRun(f"{path / 'run.json'} is damaged: {error}") from None
    if not isinstance(content, dict):
        raise UnreadableRun(f"{path / 'run.json'} is damaged: it holds no object")
    if content.get("format_version") not in _READABLE_VERSIONS:
        raise UnreadableRun(
            f"{path} is in format {content.get('format_version')}; this version reads format {FORMAT_VERSION}"
        )
    try:
        info = _from_json(content)
    except (ValueError, TypeError, KeyError) as error:
        raise UnreadableRun(f"{path / 'run.json'} is damaged: {type(error).__name__}: {error}") from None
    if info.state in _UNFINISHED and not is_alive(info.process, info.process_started):
        return replace(info, state="failed", message=GONE)
    return info


def mark_cancelled(path: Path) -> None:
    """Write into `run.json` that an unfinished run was stopped, for a process that is about to be killed."""
    file = path / "run.json"
    content = json.loads(file.read_text())
    if content["state"] in _UNFINISHED:
        part = path / "run.cancelled.part"
        part.touch(stat.S_IMODE(file.stat().st_mode))
        part.write_text(json.dumps({**content, "state": "cancelled", "ended_at": time.time()}, indent=2) + "\n")
        move_into_place(part, file)


def load(path: Path, *, is_partial_allowed: bool = False) -> Measurements:
    """Read the measurements of a run that is done, or with `is_partial_allowed` the complete intervals of any run.

    Raises UnreadableRun where there are none.
    """
    info = read_info(path)
    if info.state != "done" and not is_partial_allowed:
        raise UnreadableRun(
            f"the run in {path} is {info.state}, not done" + (f": {info.message}" if info.message else "")
        )
    for interval in range(info.complete_intervals):
        if not _file_of(path, interval).exists():
            raise UnreadableRun(f"the run in {path} lacks its interval {interval}")
    cells = read_cells(path)
    if not cells:
        raise UnreadableRun(f"the run in {path} has no complete interval")
    settings = info.settings
    store = capabilities_of(settings.store_url)
    return Measurements.of(
        cells,
        settings.interval_seconds,
        is_answered_in_turn=store.is_file,
        has_transactions=store.has_transactions,
        checks=settings.grid.checks,
    )


def read_cells(path: Path) -> list[Measurement]:
    """Read the single measurements of the complete intervals; UnreadableRun where one is damaged."""
    return [cell for file in sorted(path.glob("interval-*.parquet")) for cell in read_parquet(file)]


def _readable_from_the_first_on(path: Path) -> list[list[Measurement]]:
    """Read the intervals up to the first whose file is missing or damaged."""
    intervals: list[list[Measurement]] = []
    while (file := _file_of(path, len(intervals))).exists():
        try:
            intervals.append(read_parquet(file))
        except UnreadableRun:
            break
    return intervals


def _file_of(path: Path, interval: int) -> Path:
    return path / f"interval-{interval:03}.parquet"


def read_parquet(file: Path) -> list[Measurement]:
    """Read measurements from a Parquet file of this format, wherever it comes from."""
    try:
        metadata = pq.read_schema(file).metadata or {}
        if metadata.get(b"bin_ratio") != str(RATIO).encode():
            raise UnreadableRun(f"{file} holds no histograms of this format: its bins do not grow by {RATIO}")
        return _cells(file)
    except (pa.ArrowException, KeyError, ValueError, TypeError, IndexError, OSError) as error:
        raise UnreadableRun(f"{file} holds no measurements, or is damaged: {error}") from None


def is_alive(process: int, started: int | None) -> bool:
    """Whether the process that wrote a run still exists (and is not another one under its number)."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return _started(process) == started


def _started(process: int) -> int | None:
    """The kernel's start time of a process; None where there is no /proc, or once it is a zombie."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else int(fields[19])


def move_into_place(part: Path, target: Path) -> None:
    """Rename a file that is complete to its name, after it has reached the disk."""
    with part.open("rb") as written:
        os.fsync(written.fileno())
    part.replace(target)


_SCHEMA = pa.schema(
    [
        ("operator", pa.string()),
        ("child_rows", pa.int32()),
        ("rows", pa.int32()),
        ("row_bytes", pa.int32()),
        ("columns", pa.int32()),
        ("interval", pa.int32()),
        ("started_at", pa.float64()),
        ("seconds", pa.float64()),
        ("executions", pa.int64()),
        ("correlation", pa.float64()),
        ("effective", pa.float64()),
        ("lag", pa.float64()),
        ("computing", pa.float64()),
        ("p50_us", pa.float64()),
        ("p99_us", pa.float64()),
        ("bins", pa.list_(pa.int16())),
        ("counts", pa.list_(pa.int64())),
        ("response_bins", pa.list_(pa.int16())),
        ("response_counts", pa.list_(pa.int64())),
        ("whole_bins", pa.list_(pa.int16())),
        ("whole_counts", pa.list_(pa.int64())),
    ],
    metadata={"format_version": str(FORMAT_VERSION), "bin_ratio": str(RATIO), "first_bin_us": "1"},
)


def _table(measurements: Sequence[Measurement]) -> pa.Table:
    rows = []
    for measurement in measurements:
        bins = measurement.histogram.sparse()
        response = measurement.response.sparse() if measurement.response else {}
        whole = measurement.whole.sparse() if measurement.whole else {}
        has_executions = measurement.histogram.total > 0
        rows.append(
            {
                "operator": measurement.point.operator.value,
                "child_rows": measurement.point.child_rows,
                "rows": measurement.point.rows,
                "row_bytes": measurement.point.row_bytes,
                "columns": measurement.point.columns,
                "interval": measurement.interval,
                "started_at": measurement.started_at,
                "seconds": measurement.seconds,
                "executions": measurement.histogram.total,
                "correlation": measurement.correlation,
                "effective": measurement.effective,
                "lag": measurement.lag,
                "computing": measurement.computing,
                "p50_us": measurement.histogram.quantile_us(0.5) if has_executions else None,
                "p99_us": measurement.histogram.quantile_us(0.99) if has_executions else None,
                "bins": list(bins),
                "counts": list(bins.values()),
                "response_bins": list(response),
                "response_counts": list(response.values()),
                "whole_bins": list(whole),
                "whole_counts": list(whole.values()),
            }
        )
    return pa.Table.from_pylist(rows, schema=_SCHEMA)


def _cells(file: Path) -> list[Measurement]:
    return [
        Measurement(
            Point(Operator(row["operator"]), row["child_rows"], row["rows"], row["row_bytes"], row.get("columns", 1)),
            _from_zero(row["interval"]),
            Histogram.from_sparse(row["bins"], row["counts"]),
            row["started_at"],
            row["seconds"],
            row["correlation"],
            _optional_histogram(row, "response"),
            row.get("effective"),
            row.get("lag", 0.0),
            _optional_histogram(row, "whole"),
            row.get("computing", 0.0),
        )
        for row in pq.read_table(file).to_pylist()
    ]


def _from_zero(interval: int) -> int:
    if interval < 0:
        raise ValueError(f"an interval is numbered from 0, not {interval}")
    return interval


def _optional_histogram(row: Mapping[str, Any], name: str) -> Histogram | None:
    """A histogram of a row; None in files of earlier versions, which lack it."""
    bins = row.get(f"{name}_bins")
    return Histogram.from_sparse(bins, row[f"{name}_counts"]) if bins else None


def _to_json(info: RunInfo) -> dict[str, Any]:
    content = {"format_version": FORMAT_VERSION, **asdict(info)}
    content["settings"]["store_url"] = without_password(info.settings.store_url)
    content["settings"]["grid"] = {
        "name": info.settings.grid.name,
        "points": [_point_to_json(point) for point in info.settings.grid.points],
        "checks": [_point_to_json(check) for check in info.settings.grid.checks],
    }
    return content


def _from_json(content: Mapping[str, Any]) -> RunInfo:
    settings = dict(content["settings"])
    grid = settings["grid"]
    settings["grid"] = Grid(grid["name"], _points_from_json(grid["points"]), _points_from_json(grid.get("checks", [])))
    fields = {key: value for key, value in content.items() if key not in ("settings", "format_version")}
    return RunInfo(RunSettings(**settings), **fields)


def _point_to_json(point: Point) -> list[Any]:
    return [point.operator.value, *point.coordinates]


def _points_from_json(content: Sequence[Sequence[Any]]) -> tuple[Point, ...]:
    return tuple(Point(Operator(operator), *sizes) for operator, *sizes in content)
