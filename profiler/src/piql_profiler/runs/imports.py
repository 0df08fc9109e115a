"""A profile from measurements that were made elsewhere: an HdrHistogram log, or Parquet files of this format."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from piql_profiler.measure.grid import Grid
from piql_profiler.measure.measurements import Measurement
from piql_profiler.runs.hlog import UnreadableLog, read_hlog
from piql_profiler.runs.run_files import RunDirectory, RunInfo, RunSettings, UnreadableRun, read_info, read_parquet


def import_run(source: Path, out: Path, store_url: str | None, label: str = "") -> RunInfo:
    """Make a run in the new folder `out` of a `.hlog` file, a Parquet file, or a folder of these.

    A folder that is a run says itself how it was measured; otherwise `store_url` says where. Raises UnreadableRun where
    there are no measurements, an interval is missing, or nothing says where they were made.
    """
    if not source.exists():
        raise UnreadableRun(f"there is nothing at {source}")
    cells = [cell for file in _files(source) for cell in _read(file)]
    if not cells:
        raise UnreadableRun(f"{source} has neither .hlog nor .parquet files with measurements")
    intervals = 1 + max(cell.interval for cell in cells)
    for interval in range(intervals):
        if not any(cell.interval == interval for cell in cells):
            raise UnreadableRun(f"{source} lacks interval {interval}")
    directory = RunDirectory(out, _settings(source, cells, intervals, store_url), label)
    directory.update(notes={"imported_from": source.name})
    for interval in range(intervals):
        directory.write_interval(interval, [cell for cell in cells if cell.interval == interval])
    directory.end("done")
    return directory.info


def _files(source: Path) -> Sequence[Path]:
    return sorted([*source.glob("*.parquet"), *source.glob("*.hlog")]) if source.is_dir() else [source]


def _read(file: Path) -> list[Measurement]:
    if file.suffix == ".parquet":
        return read_parquet(file)
    try:
        return read_hlog(file)
    except (UnreadableLog, UnicodeDecodeError) as error:
        raise UnreadableRun(str(error)) from None


def _settings(source: Path, cells: Sequence[Measurement], intervals: int, store_url: str | None) -> RunSettings:
    """The settings of a run, or those that the measurements and the store's URL suggest."""
    if (source / "run.json").exists():
        return read_info(source).settings
    if store_url is None:
        raise UnreadableRun(f"{source} does not say where it was measured: give --store")
    first = [cell for cell in cells if cell.interval == 0]
    interval_seconds = max(cell.started_at + cell.seconds for cell in first) - min(cell.started_at for cell in first)
    grid = Grid.of("imported", (cell.point for cell in cells))
    return RunSettings(store_url, grid, max(interval_seconds, 1.0), intervals)
