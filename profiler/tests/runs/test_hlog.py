"""Histograms as HdrHistogram logs: the bytes of other tools, and the lines of a run."""

from pathlib import Path

from piql_profiler.measure.grid import Operator, Point
from piql_profiler.measure.histogram import Histogram
from piql_profiler.measure.measurements import Measurement
from piql_profiler.runs.hlog import encode, read_hlog, write_hlog

# Read back by the `hdrhistogram` package as {100: 3, 5039: 2, 60030975: 1}, each within 3 digits.
READ_ELSEWHERE = "HISTFAAAACl4nJNpmSzMwMDAxQABzFCaEcyZ3M5g/wEicJyRrduI5esNRiYAftQHAA=="


def test_a_histogram_is_encoded_as_other_tools_read_it() -> None:
    assert encode(Histogram.of([100.0] * 3 + [5000.0] * 2 + [60e6])) == READ_ELSEWHERE


def test_a_log_has_a_tagged_line_for_each_measurement_in_order_of_time(tmp_path: Path) -> None:
    point = Point(Operator.SORTED_INDEX_JOIN, 100, 50, 200)
    later = Measurement(point, 1, Histogram.of([2000.0]), 101.0, 1.5)
    sooner = Measurement(point, 0, Histogram.of([2000.0]), 100.0, 1.5, response=Histogram.of([3000.0]))
    write_hlog(tmp_path / "run.hlog", [later, sooner])
    lines = (tmp_path / "run.hlog").read_text().splitlines()
    assert lines[0] == "#[Histogram log format version 1.3]"
    assert lines[1].startswith("#[StartTime: 100.000 (seconds since epoch)")
    assert [line.rpartition(",")[0] for line in lines[4:]] == [
        "Tag=SortedIndexJoin:100:50:200:1:st,0.000,1.500,1.987",
        "Tag=SortedIndexJoin:100:50:200:1:rt,0.000,1.500,3.011",
        "Tag=SortedIndexJoin:100:50:200:1:st,1.000,1.500,1.987",
    ]


def test_a_point_that_was_measured_twice_in_an_interval_is_one_line_of_both(tmp_path: Path) -> None:
    point = Point(Operator.INDEX_SCAN, 1, 10, 200)
    first = Measurement(point, 0, Histogram.of([2000.0]), 100.0, 1.0, response=Histogram.of([2500.0]))
    second = Measurement(point, 0, Histogram.of([3000.0, 3000.0]), 103.0, 2.0)
    later = Measurement(point, 1, Histogram.of([4000.0]), 110.0, 1.0)
    write_hlog(tmp_path / "run.hlog", [second, first, later])
    intervals = read_hlog(tmp_path / "run.hlog")
    assert [(cell.interval, cell.histogram.total, cell.started_at, cell.seconds) for cell in intervals] == [
        (0, 3, 100.0, 3.0),
        (1, 1, 110.0, 1.0),
    ]
    assert intervals[0].response is not None
    assert intervals[0].response.total == 1


def test_a_run_without_measurements_gives_a_log_without_lines(tmp_path: Path) -> None:
    write_hlog(tmp_path / "run.hlog", [])
    assert len((tmp_path / "run.hlog").read_text().splitlines()) == 4
